import { checkBytes, checkInteger, checkSchedule, invalid, isList, show } from "../checks/check-options.ts";
import type { Engine } from "../engine/engine.ts";
import type { JobWait } from "../model/signal.ts";

/** What a start or a continuation says about signals, its types erased. */
export interface WaitOptions {
  readonly waitUntil?: object | "forever" | undefined;
  readonly collect?: Readonly<Record<string, number>> | undefined;
  readonly topics?: readonly string[] | undefined;
}

const mostCollected = { min: 1, max: 1_000 };
/** The most topics of a job, and the longest names of a topic and of a signal, in bytes. */
const mostTopics = 100;
const longestTopic = 500;
const longestName = 500;

/** Checks what a job waits for. Undefined: it does not wait. */
export function checkWait(
  engine: Engine,
  item: WaitOptions & { readonly typeName: string; readonly schedule?: unknown; readonly blockers?: unknown },
): JobWait | undefined {
  const { typeName, waitUntil, collect, topics } = item;
  engine.types.signals.assertWait(typeName, waitUntil !== undefined);
  if (waitUntil === undefined) {
    if (collect === undefined && topics === undefined) return undefined;
    const option = collect === undefined ? "topics" : "collect";
    throw invalid(`${option} needs waitUntil: { at }, { afterMs } or "forever"; got no waitUntil for "${typeName}".`);
  }
  if (item.schedule !== undefined) throw invalid(`a job with waitUntil waits from its start; remove schedule.`);
  if (isList(item.blockers) && item.blockers.length > 0)
    throw invalid(`a job with waitUntil must have no blockers; let a step before it wait for them.`);
  return {
    until: waitUntil === "forever" ? undefined : checkUntil(waitUntil),
    collect: collect === undefined ? undefined : checkCollect(engine, typeName, collect),
    topics: topics === undefined ? undefined : checkTopics(topics),
  };
}

function checkUntil(waitUntil: unknown) {
  if (typeof waitUntil !== "object" || waitUntil === null)
    throw invalid(`waitUntil must be { at }, { afterMs } or "forever"; got ${show(waitUntil)}.`);
  return checkSchedule(waitUntil, "waitUntil");
}

function checkCollect(
  engine: Engine,
  typeName: string,
  collect: Readonly<Record<string, number>>,
): Readonly<Record<string, number>> {
  if (typeof collect !== "object" || collect === null || isList(collect))
    throw invalid(`collect must be an object with a count for each name of a signal; got ${show(collect)}.`);
  // A signal may have a name that every object has: `fromEntries` writes own properties.
  return Object.fromEntries(
    Object.entries<number>(collect).map(([signal, count]) => {
      engine.types.signals.assertKnown(typeName, signal);
      return [signal, checkInteger(count, `collect.${signal}`, mostCollected)];
    }),
  );
}

function checkTopics(topics: unknown): readonly string[] {
  if (!isList(topics)) throw invalid(`topics must be an array of texts; got ${show(topics)}.`);
  if (topics.length > mostTopics) throw invalid(`topics must be at most ${mostTopics}; got ${topics.length}.`);
  return [...new Set(topics.map(checkTopic))];
}

export function checkTopic(topic: unknown): string {
  return checkBytes(topic, "a topic", longestTopic);
}

/** Checks the name of a signal and that its type has it. */
export function checkSignalName(engine: Engine, typeName: string, signal: string): string {
  engine.types.signals.assertKnown(typeName, checkBytes(signal, "signal", longestName));
  return signal;
}
