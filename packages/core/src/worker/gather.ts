import { invalid, show } from "../checks/check-options.ts";
import { whenKnown } from "../checks/schema-verdict.ts";
import type { Engine } from "../engine/engine.ts";
import type { BatchPolicy } from "./batch-options.ts";
import type { Place } from "./gathering.ts";
import { sizeOf } from "./halvings.ts";
import type { Held, Slots } from "./held.ts";
import { readJob, type Seen } from "./read-job.ts";

/**
 * Takes in a claimed job that is handled together with others. Its input is read first, because `by` needs it. A job that cannot be
 * read, or for which `by` throws, gets an attempt of its own, which fails.
 */
export function gather(slots: Slots, held: Held, batch: BatchPolicy): void {
  slots.gathering.add(held, held.job.typeName, placeFor(slots.engine, held, batch));
}

function placeFor(engine: Engine, held: Held, batch: BatchPolicy): Place | Promise<Place> {
  try {
    const place = whenKnown(readJob(engine, held.job), (seen) => placeOf(held, batch, seen));
    return place instanceof Promise ? place.catch((error: unknown) => alone(held, error)) : place;
  } catch (error) {
    return alone(held, error);
  }
}

function placeOf(held: Held, batch: BatchPolicy, seen: Seen): Place {
  const size = sizeOf(held.job, batch);
  const key = keyOf(held, size, batch.by?.(seen.input));
  held.read = { seen };
  return { key, size, maxWaitMs: batch.maxWaitMs, isSuspect: held.isSuspect };
}

function alone(held: Held, error: unknown): Place {
  const { job, isSuspect } = held;
  held.read = { seen: undefined, error };
  return { key: `${job.id} ${job.fence}`, size: 1, maxWaitMs: 0, isSuspect };
}

/** Names of types have no control characters, and what `by` returned is last. Most jobs of most types need no text of their own. */
function keyOf({ job: { typeName, attempt }, isSuspect }: Held, size: number, by: unknown): string {
  if (by === undefined && attempt === 1 && !isSuspect) return typeName;
  return `${typeName}\n${size} ${isSuspect} ${typeof by} ${textOf(by, typeName)}`;
}

function textOf(by: unknown, typeName: string): string {
  if (by === null || by === undefined || typeof by === "string" || typeof by === "number" || typeof by === "boolean")
    return String(by);
  throw invalid(`batch.by of "${typeName}" must return a string, a number, a boolean or nothing; got ${show(by)}.`);
}
