import type { Chain } from "chainwright";
import type { Context } from "../context.ts";
import { progressView } from "../progress-view.ts";
import type { ChainRowView, CurrentStepView, PayloadView } from "../protocol/views.ts";
import { chainView, storedPayloadView, type AnyJob } from "../views.ts";

const longestLine = 160;
/** Larger inputs are not read for a line of a list: it says how large they are. */
export const mostLineBytes = 4_000;

/** Chains as rows of a list, each with the step where it is: one read for all steps that are not given, and one for what they report. */
export async function chainRows(
  { client, redaction, latestNotes }: Context,
  chains: readonly Chain[],
  given?: readonly AnyJob[],
): Promise<readonly ChainRowView[]> {
  if (chains.length === 0) return [];
  const steps = given ?? (await newestOf(client, chains));
  const notes = await latestNotes(steps);
  const byChain = new Map(steps.map((step) => [step.chainId, step]));
  const currentOf = (step: AnyJob): CurrentStepView => {
    const { id, typeName, chainId, status, attempt, pool, scheduledAt, waitsUntil } = step;
    const owner = { typeName, chainId };
    const progress = notes.get(id)?.progress;
    const input = storedPayloadView(step, { ...owner, part: "input" }, { redaction, mostBytes: mostLineBytes });
    return {
      id,
      typeName,
      step: step.step,
      status,
      attempt,
      pool,
      dueAt: (scheduledAt ?? waitsUntil)?.getTime(),
      inputLine: lineOf(input),
      progress: progress && progressView(progress, owner, redaction),
    };
  };
  return chains.map((chain) => {
    const step = byChain.get(chain.id);
    return { ...chainView(chain, redaction), current: step && currentOf(step) };
  });
}

async function newestOf(client: Context["client"], chains: readonly Chain[]): Promise<readonly AnyJob[]> {
  const ids = chains.map(({ id }) => id);
  return (await client.listJobs({ newestOf: ids, limit: ids.length, mostPayloadBytes: mostLineBytes })).items;
}

/** `orderId 42 · cents 100`, or the beginning of the JSON. */
function lineOf(payload: PayloadView): string {
  if (payload.kind === "large") return `${payload.bytes.toLocaleString("en")} bytes`;
  if (payload.kind !== "value") return "";
  const { value } = payload;
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  const line = isObject
    ? Object.entries(value)
        .map(([name, each]) => `${name} ${wordOf(each)}`)
        .join(" \u00b7 ")
    : wordOf(value);
  return line.length <= longestLine ? line : `${line.slice(0, longestLine).toWellFormed()}…`;
}

function wordOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}
