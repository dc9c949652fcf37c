import type { LostAttempt, LostWorkerInfo } from "chainwright";
import type { Context } from "../context.ts";
import type { LostAttemptView } from "../protocol/views.ts";
import type { AnyJob } from "../views.ts";

/** The lost workers, read only if one of the jobs has lost an attempt. */
export async function lostWorkersOf(
  { client }: Pick<Context, "client">,
  jobs: readonly AnyJob[],
): Promise<readonly LostWorkerInfo[]> {
  return jobs.some(({ lostAttempts }) => lostAttempts.length > 0) ? await client.listLostWorkers() : [];
}

/** The attempts of a job that never reported a result, with the workers that were lost with them. */
export function lostAttemptsView(job: AnyJob, workers: readonly LostWorkerInfo[]): readonly LostAttemptView[] {
  return job.lostAttempts.map((lost) => lostAttemptView(lost, workers, job.id));
}

function lostAttemptView(
  { attempt, workerId, startedAt, leasedUntil }: LostAttempt,
  workers: readonly LostWorkerInfo[],
  jobId: string,
): LostAttemptView {
  const isOfAttempt = (held: { readonly jobId: string; readonly attempt: number }) =>
    held.jobId === jobId && held.attempt === attempt;
  const worker = workers.find(({ id, held }) => (workerId === undefined ? held?.some(isOfAttempt) : id === workerId));
  const held = worker?.held?.find(isOfAttempt);
  return {
    attempt,
    workerId: workerId ?? worker?.id,
    workerName: worker?.name,
    startedAt: (startedAt ?? held?.startedAt)?.getTime(),
    leasedUntil: (leasedUntil ?? held?.leasedUntil)?.getTime(),
    lastSeenAt: worker?.lastSeenAt.getTime(),
  };
}
