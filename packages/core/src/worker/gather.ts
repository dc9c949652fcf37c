import { invalid, show } from "../checks/check-options.ts";
import type { BatchPolicy } from "./batch-options.ts";
import type { Held, Slots } from "./held.ts";
import { readJob, type Seen } from "./read-job.ts";

/**
 * Takes in a claimed job that is handled together with others. Its input is read first, because `by` needs it. A job that cannot be
 * read, or for which `by` throws, gets an attempt of its own, which fails.
 */
export function gather(slots: Slots, held: Held, batch: BatchPolicy): void {
  const { gathering, engine } = slots;
  gathering.hold(held, held.job.typeName);
  const place = (seen: Seen): void => {
    const key = keyOf(held, batch, batch.by?.(seen.input));
    held.read = { seen };
    gathering.place(held, { key, ...batch, size: sizeOf(held, batch), isSuspect: held.isSuspect });
  };
  const fail = (error: unknown): void => {
    held.read = { seen: undefined, error };
    const key = `${held.job.id} ${held.job.fence}`;
    gathering.place(held, { key, maxWaitMs: 0, size: 1, isSuspect: held.isSuspect });
  };
  try {
    const read = readJob(engine, held.job);
    if (read instanceof Promise) void read.then(place).catch(fail);
    else place(read);
  } catch (error) {
    fail(error);
  }
}

/**
 * The most jobs that an attempt at this job may share a batch with. Each attempt on record halves it, so that a job which breaks its
 * batches, or kills its processes, is alone in the end.
 */
function sizeOf({ job }: Held, { maxSize, bisects }: BatchPolicy): number {
  return bisects ? Math.max(1, Math.floor(maxSize / 2 ** (job.attempt - 1))) : maxSize;
}

function keyOf(held: Held, batch: BatchPolicy, by: unknown): string {
  const { job, isSuspect } = held;
  return JSON.stringify([job.typeName, sizeOf(held, batch), isSuspect, typeof by, textOf(by, job.typeName)]);
}

function textOf(by: unknown, typeName: string): string {
  if (by === null || by === undefined || typeof by === "string" || typeof by === "number" || typeof by === "boolean")
    return String(by);
  throw invalid(`batch.by of "${typeName}" must return a string, a number, a boolean or nothing; got ${show(by)}.`);
}
