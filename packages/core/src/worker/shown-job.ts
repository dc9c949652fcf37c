import { readAttemptErrors } from "../checks/attempt-errors.ts";
import type { ClaimedJob } from "../model/record.ts";
import type { ScheduledTick } from "../model/scheduled-tick.ts";
import { readTick } from "../operations/tick-context.ts";
import type { Seen } from "./read-job.ts";

/** The job of a handler's context. */
export type ShownJob = Record<string, unknown> & { tick?: ScheduledTick; checkpoint?: unknown };

export function shownJob(job: ClaimedJob, { input, blockers, signals, checkpoint }: Seen): ShownJob {
  const shown: ShownJob = {
    id: job.id,
    chainId: job.chainId,
    typeName: job.typeName,
    input,
    blockers,
    attempt: job.attempt,
    lastError: readAttemptErrors(job.errors).at(-1),
    createdAt: new Date(job.createdAt),
    idempotencyKey: job.id,
  };
  if (signals !== undefined) Object.assign(shown, signals);
  if (checkpoint !== undefined) shown.checkpoint = checkpoint;
  // Few jobs have a context, and few of these were started by a tick.
  const tick = job.context === undefined ? undefined : readTick(job.context);
  if (tick !== undefined) shown.tick = tick;
  return shown;
}
