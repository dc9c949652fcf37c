import type { Asked, Context } from "../context.ts";
import type { ChainResponse } from "../protocol/reads.ts";
import type { ExplanationView } from "../protocol/views.ts";
import { queries, readQuery } from "../http/query.ts";
import { Refusal } from "../http/refusal.ts";
import { chainView, explanationView, inFull, lastStepOf, storedPayloadView, type AnyJob } from "../views.ts";
import { pageOfSignals } from "./signals.ts";
import { pageOfDependents, pageOfSteps, stepView } from "./steps.ts";

export async function chain(context: Context, { query }: Asked): Promise<ChainResponse> {
  const { client, redaction } = context;
  const { id } = readQuery(query, queries.byId);
  // A list, because it leaves out large payloads and does not count blockers, which the explanation does.
  const [found] = (await client.listChains({ ids: [id], mostPayloadBytes: context.mostInlineBytes })).items;
  if (found === undefined) throw new Refusal(404, "chain-not-found", `There is no chain ${id}.`);
  const [steps, last, dependents, signals] = await Promise.all([
    pageOfSteps(context, id),
    lastStepOf(client, id, context.mostInlineBytes),
    pageOfDependents(context, id),
    pageOfSignals(context, id),
  ]);
  const payload = (part: "input" | "output") =>
    storedPayloadView(
      found,
      { part, typeName: found.typeName, chainId: id },
      { redaction, mostBytes: context.mostInlineBytes },
    );
  return {
    now: context.clock.now(),
    chain: chainView(found, redaction, inFull),
    input: payload("input"),
    output: payload("output"),
    steps,
    lastStep: last === undefined ? undefined : await stepView(context, last),
    explanation: last === undefined ? undefined : await explain(context, last),
    dependents,
    signals,
    followUps: found.compensations.map(({ id: of, typeName, kind, status }) => ({ id: of, typeName, kind, status })),
  };
}

/** Why a step that has not ended is not running. */
export async function explain({ client, redaction }: Context, job: AnyJob): Promise<ExplanationView | undefined> {
  if (job.endedAt !== undefined) return undefined;
  const explanation = await client.explainJob({ id: job.id });
  return explanation === undefined ? undefined : explanationView(explanation, job, redaction);
}
