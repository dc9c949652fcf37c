import type { JobStart } from "../model/job-start.ts";
import type { Consequences, JobRef, Refusal, StartedJob, WaitingJob } from "../ports/reply.ts";
import { ownClaimName } from "../model/claim-name.ts";
import type { Handle, Rows } from "./rows.ts";

/** What most replies hold: one array for all of them. */
export const nothing: readonly never[] = [];
export const noConsequences: Consequences = {
  unblocked: nothing,
  failed: nothing,
  reblocked: nothing,
  releasing: false,
};

export function refused(refusal: Refusal): { readonly ok: false; readonly refusal: Refusal } {
  return { ok: false, refusal };
}

export function refOf<Job extends Handle, Chain extends Handle>(rows: Rows<Job, Chain>, job: Job): JobRef {
  return { jobId: job.id, chainId: rows.chainOf(job).id, typeName: rows.typeNameOf(job) };
}

/** A job that has just been written. */
export function startedJob(
  start: JobStart,
  chainId: string,
  {
    status,
    dueAt,
    now,
  }: { readonly status: StartedJob["status"]; readonly dueAt: number | undefined; readonly now: number },
): StartedJob {
  const { id, typeName } = start;
  const isTimed = status === "scheduled" || status === "waiting";
  const dueInMs = isTimed && dueAt !== undefined ? dueAt - now : undefined;
  return { jobId: id, chainId, typeName, claimName: ownClaimName(start), status, dueInMs };
}

/** A job that waits again. */
export function waitingJob<Job extends Handle, Chain extends Handle>(
  rows: Rows<Job, Chain>,
  job: Job,
  { status, dueInMs }: Pick<StartedJob, "status" | "dueInMs">,
): StartedJob {
  const { jobId, chainId, typeName, claimName } = waitingRef(rows, job);
  return { jobId, chainId, typeName, claimName, status, dueInMs };
}

export function waitingRef<Job extends Handle, Chain extends Handle>(rows: Rows<Job, Chain>, job: Job): WaitingJob {
  const { jobId, chainId, typeName } = refOf(rows, job);
  const claimName = rows.claimNameOf(job);
  return { jobId, chainId, typeName, claimName: claimName === typeName ? undefined : claimName };
}
