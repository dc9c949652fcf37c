import type { ChainEvent, EndedChain, EventJob } from "../model/event.ts";
import type { Consequences, JobRef, StartedJob, UnusedSignals } from "../ports/reply.ts";
import type { ReplacedInput } from "../ports/start.ts";

const nothing: readonly ChainEvent[] = [];
const noneUnused: readonly UnusedSignals[] = [];

/** The events of jobs that were written together: the first jobs of chains, and next steps of chains. */
export function startedJobsEvents(
  jobs: readonly StartedJob[],
  awaited?: Consequences["awaited"],
): readonly ChainEvent[] {
  if (jobs.length === 0) return nothing;
  const events: ChainEvent[] = [];
  for (const job of jobs) {
    const { jobId, chainId, typeName } = job;
    if (jobId === chainId) events.push({ type: "chain-started", jobId, chainId, typeName });
    events.push(jobStartedEvent(job, jobId === chainId ? "start" : "continuation"));
    // A blocker had failed before the job was written, so the job never waited.
    if (job.status === "failed") events.push(...failedEvents(job, awaited));
  }
  return events;
}

/** The event of a job that begins to wait, for the first time or again. */
export function jobStartedEvent(
  { jobId, chainId, typeName, claimName, status, dueInMs }: StartedJob,
  cause: "start" | "continuation" | "retry",
): ChainEvent {
  const event = { type: "job-started", cause, jobId, chainId, typeName, status, dueInMs } as const;
  return claimName === undefined ? event : { ...event, claimName };
}

/** The event of a chain that waits and whose input a start has replaced. */
export function replacedEvent(
  { jobId, chainId, typeName, claimName, dueInMs, isAnnounced }: ReplacedInput,
  by: "debounce" | "throttle",
): ChainEvent {
  return {
    type: "chain-debounced",
    by,
    jobId,
    chainId,
    typeName,
    dueInMs,
    announced: isAnnounced,
    ...named(claimName),
  };
}

/** The event of a chain whose end has released only some of the jobs that wait for it. */
export function releasingEvents({ jobId, chainId, typeName, releasing }: JobRef & Consequences): readonly ChainEvent[] {
  return releasing ? [{ type: "chain-releasing", jobId, chainId, typeName }] : nothing;
}

/** The events of other chains that the end of a chain, or its retry, has changed. */
export function consequenceEvents(consequences: Consequences): readonly ChainEvent[] {
  const { unblocked, failed, reblocked, awaited, followUps, unused = noneUnused } = consequences;
  const isAlone = unblocked.length === 0 && failed.length === 0 && reblocked.length === 0;
  if (isAlone && unused.length === 0 && followUps === undefined) return nothing;
  const events: ChainEvent[] = [];
  for (const { jobId, chainId, typeName, claimName, dueInMs } of unblocked) {
    events.push({ type: "job-unblocked", jobId, chainId, typeName, dueInMs, ...named(claimName) });
  }
  for (const job of failed) events.push(...failedEvents(job, awaited));
  if (followUps !== undefined) events.push(...startedJobsEvents(followUps));
  for (const { jobId, chainId, typeName } of reblocked) {
    events.push({ type: "chain-retried", jobId, chainId, typeName }, { type: "job-blocked", jobId, chainId, typeName });
  }
  for (const { chainId, count } of unused) events.push({ type: "signal-unused", chainId, count });
  return events;
}

/** Most jobs are claimed by their type: their events have no such field. */
export function named(claimName: string | undefined): { readonly claimName: string } | undefined {
  return claimName === undefined ? undefined : { claimName };
}

/** @param awaited the ids of the awaited chains among those that ended together */
function failedEvents({ jobId, chainId, typeName }: JobRef, awaited?: Consequences["awaited"]): ChainEvent[] {
  const job = { jobId, chainId, typeName };
  return [
    { type: "job-failed", ...job, error: undefined },
    { type: "chain-failed", ...endedChain(job, awaited) },
  ];
}

export function endedChain(job: EventJob, awaited: Consequences["awaited"]): EndedChain {
  return awaited?.includes(job.chainId) === true ? { ...job, awaited: true } : job;
}
