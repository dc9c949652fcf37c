import type { JobRecord } from "../model/record.ts";
import type { StoreAccess } from "../engine/engine.ts";

const mostSignals = 1_000;

/** What a waiting job waits for, and what its chain keeps for later jobs. Undefined: it does not wait. */
export async function waitSentence(store: StoreAccess, job: JobRecord, tx: unknown): Promise<string | undefined> {
  if (job.status !== "waiting" || job.waits === undefined) return undefined;
  const query = { chainId: job.chainId, after: undefined, limit: mostSignals };
  const signals = await store.state.listSignals(query, store.callOptions(tx));
  const kept = signals.filter(({ takenBy }) => takenBy === undefined).length;
  const { until, collect = {} } = job.waits;
  const counts = Object.entries(collect).filter(([, count]) => count > 1);
  const names = store.types.signals.namesOf(job.typeName);
  const wanted = counts.length === 0 && names.length > 0 ? orList(names) : "a signal";
  const counted = counts.map(([name, count]) => `${count} of ${name}`);
  const what = counted.length === 0 ? wanted : `${orList(counted)}, or one of another name,`;
  const end = until === undefined ? "without an end" : `until ${new Date(until).toISOString()}`;
  const received = job.received?.length ?? 0;
  const sentences = [
    `It waits for ${what} ${end}.`,
    ...(received === 0 ? [] : [`It has received ${countOf(received)} so far.`]),
    ...(kept === 0 ? [] : [`${countOf(kept)} for later steps ${kept === 1 ? "is" : "are"} kept.`]),
  ];
  return sentences.join(" ");
}

function countOf(count: number): string {
  return count === 1 ? "1 signal" : `${count === mostSignals ? `${count} or more` : count} signals`;
}

function orList(names: readonly string[]): string {
  const last = names.at(-1) ?? "";
  return names.length < 2 ? last : `${names.slice(0, -1).join(", ")} or ${last}`;
}
