import type { Call, Context } from "../context.ts";
import type { ErasedClient } from "chainwright/adapter";
import type { PreviewResponse } from "../protocol/actions.ts";
import { readJson } from "../http/read-body.ts";
import { payloadView } from "../views.ts";
import { actionResponse } from "./act.ts";
import { permittedPart } from "./permitted.ts";
import { upcomingRuns } from "../reads/upcoming-runs.ts";
import type { UpcomingRun } from "../protocol/schedules.ts";
import { perform, type Performed } from "./perform.ts";
import { readOnlyRefusal } from "./read-only.ts";
import { prepare, type InputChange } from "./prepare.ts";
import { checkRequest, type CheckedRequest } from "./request.ts";

const mostInputBytes = 65_536;

/** Returns what an action would do, by performing it in a transaction that is rolled back. */
export async function preview(context: Context, { request: raw, principal }: Call): Promise<PreviewResponse> {
  const request = checkRequest(await readJson(raw));
  const { client } = context;
  const permitted = await permittedPart(context, principal, request);
  const prepared = await prepare(context, permitted.request);
  const { performed, runs } = await rolledBack(client, async (tx) => ({
    performed: await perform(client, permitted.request, prepared.items, { by: principal.name, tx }),
    runs: await runsAfter(context, request, tx),
  }));
  const outcome = { ...performed, refused: [...permitted.refused, ...prepared.refused, ...performed.refused] };
  return {
    ...actionResponse(request, outcome),
    inputs: prepared.changes.map((change) => inputChange(context, change)),
    runs,
  };
}

/** The next runs of an edited schedule, as they would be stored. */
async function runsAfter(context: Context, request: CheckedRequest, tx: unknown): Promise<readonly UpcomingRun[]> {
  if (request.action !== "edit-schedule") return [];
  const { items } = await context.client.listSchedules({ ids: request.ids, limit: 1, tx });
  return items.flatMap((schedule) => upcomingRuns(schedule, context.clock.now()));
}

function inputChange({ redaction }: Context, { id, typeName, before, after }: InputChange) {
  const payload = (value: unknown) =>
    payloadView(value, { part: "input", typeName, chainId: id }, { redaction, mostBytes: mostInputBytes });
  return { id, before: payload(before), after: payload(after) };
}

interface Tried {
  readonly performed: Performed;
  readonly runs: readonly UpcomingRun[];
}

/** Carries a result out of the transaction that it rolls back. */
class RolledBack extends Error {
  override readonly name = "RolledBack";
  readonly result: Tried;

  constructor(result: Tried) {
    super("a preview is never committed");
    this.result = result;
  }
}

async function rolledBack(client: ErasedClient, run: (tx: unknown) => Promise<Tried>): Promise<Tried> {
  try {
    return await client.transaction(async (tx) => {
      throw new RolledBack(await run(tx));
    });
  } catch (error) {
    if (error instanceof RolledBack) return error.result;
    throw readOnlyRefusal(error) ?? error;
  }
}
