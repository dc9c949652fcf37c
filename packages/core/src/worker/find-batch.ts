import type { FindBatch } from "../engine/gathered-batch.ts";
import type { WorkerParts } from "./worker-parts.ts";

/** Finds the batch in which a job gathers in this worker, for those who ask what the job waits for. */
export function findBatchIn({ engine, name, slots }: Pick<WorkerParts, "engine" | "name" | "slots">): FindBatch {
  return (jobId) => {
    const group = slots.gathering.groupOf(({ job }) => job.id === jobId);
    if (group === undefined) return undefined;
    const { count, size, readyAt } = group;
    const mostMs = readyAt === undefined ? undefined : readyAt - engine.clock.now();
    return { name, count, size, mostMs };
  };
}
