import type { ChainwrightEvent, EndedChain, PauseEvent, WaitingJob } from "../model/event.ts";
import type { Hint } from "../ports/notify.ts";
import { hashOf } from "../model/hash.ts";
import { mergeHints } from "./merge-hints.ts";

/**
 * No hint is sent for jobs that are due after that time: every worker looks at least this often, and then learns when they are
 * due. Also the longest poll interval of a worker.
 */
export const hintHorizonMs = 60_000;

/**
 * Of which chains the end is announced: of all; of those that a process awaits, where the store knows them; or of those that this process
 * awaits, where hints reach no other.
 */
export type AnnouncedEnds = "all" | "awaited" | ReadonlySet<string>;

interface HintSettings {
  readonly announcedEnds: AnnouncedEnds;
  /** The limits that jobs of a type may be under. */
  readonly limitsOf: (typeName: string) => readonly string[];
}

/** The hints for the events of one commit: as few as possible, and only those that some process can use. */
export function hintsOf(events: readonly ChainwrightEvent[], settings: HintSettings): Hint[] {
  const waiting = new Map<string, Waiting>();
  const hints: Hint[] = [];
  for (const event of events) {
    noteWaiting(waiting, event);
    for (const hint of hintsAbout(event, settings)) hints.push(hint);
  }
  return [...readyHints(waiting.values()), ...hints];
}

/** Notes the jobs that some worker may claim now, or soon. */
function noteWaiting(waiting: Map<string, Waiting>, event: ChainwrightEvent): void {
  switch (event.type) {
    case "job-started":
      if (event.status === "ready") waiting.set(event.jobId, waitingJob(event, undefined));
      if (isDueSoon(event)) waiting.set(event.jobId, waitingJob(event, event.dueInMs));
      break;
    case "chain-debounced":
      if (!event.announced) break;
      if (event.dueInMs === undefined || isDueSoon(event)) waiting.set(event.jobId, waitingJob(event, event.dueInMs));
      break;
    case "job-unblocked":
      if (event.dueInMs === undefined || isDueSoon(event)) waiting.set(event.jobId, waitingJob(event, event.dueInMs));
      break;
    case "job-retried":
      if (isDueSoon(event)) waiting.set(event.jobId, waitingJob(event, event.dueInMs));
      break;
    case "job-triggered":
      waiting.set(event.jobId, waitingJob(event, undefined));
      break;
    case "signal-received":
      if (event.wokeJobId !== undefined)
        waiting.set(event.wokeJobId, waitingJob({ ...event, jobId: event.wokeJobId }, undefined));
      break;
    case "job-claimed":
      // It was claimed in the round trip that made it ready: no other worker needs to look.
      waiting.delete(event.jobId);
      break;
    default:
  }
}

const noHints: readonly Hint[] = [];

/** The hints about ends of chains and interrupted jobs. Most jobs end without any: the list is made where there is one. */
function hintsAbout(event: ChainwrightEvent, { announcedEnds, limitsOf }: HintSettings): readonly Hint[] {
  switch (event.type) {
    case "chain-started":
      return event.deadlineInMs === undefined ? noHints : [{ kind: "deadline", inMs: event.deadlineInMs }];
    case "chain-completed":
    case "chain-failed":
      return isAnnounced(announcedEnds, event) ? [endedHint(event)] : noHints;
    case "chain-cancelled":
      return [
        ...(isAnnounced(announcedEnds, event) ? [endedHint(event)] : noHints),
        ...(event.interrupted === undefined ? noHints : [interruptHint(event)]),
      ];
    case "chain-deleted":
      return [
        ...freedByEnd(limitsOf(event.typeName)),
        endedHint(event),
        ...(event.interrupted === undefined ? noHints : [interruptHint(event.interrupted)]),
      ];
    case "job-cancelled":
      return freedByEnd(limitsOf(event.typeName));
    case "job-completed":
    case "job-continued":
      return event.workerId === undefined ? [...freedByEnd(limitsOf(event.typeName)), interruptHint(event)] : noHints;
    default:
      return openingHints(event);
  }
}

/** A caller that is not a worker has ended an open job, which may have had places of limits: it ran, or kept them for a retry. */
function freedByEnd(limits: readonly string[]): readonly Hint[] {
  return limits.map((limit) => freedHint(limit, 1));
}

function endedHint({ chainId }: Pick<EndedChain, "chainId">): Hint {
  return { kind: "ended", chainId };
}

function interruptHint({ jobId }: { readonly jobId: string }): Hint {
  return { kind: "interrupt", jobId };
}

function isAnnounced(ends: AnnouncedEnds, { chainId, awaited }: EndedChain): boolean {
  if (typeof ends !== "string") return ends.has(chainId);
  return ends === "all" || awaited === true;
}

/** Of changes that are about no chain: after these any number of jobs may begin, or workers ask when a schedule ticks next. */
function openingHints(event: ChainwrightEvent): readonly Hint[] {
  switch (event.type) {
    case "types-paused":
    case "types-resumed":
      return pauseHints(event);
    case "limit-changed":
    case "limit-reset":
    case "limit-resumed":
    // Its breaker is closed, so the key is normal again.
    case "limit-closed":
      return [freedHint(event.limit, anyNumber)];
    case "schedules-changed":
      return [{ kind: "schedules" }];
    default:
      return noHints;
  }
}

/** All workers hear of a pause. After it all look at once: any number of jobs may wait. */
function pauseHints({ type, typeNames }: PauseEvent): readonly Hint[] {
  return typeNames.map((typeName) =>
    type === "types-paused" ? { kind: "paused", typeName } : { kind: "ready", typeName, count: 1 },
  );
}

const anyNumber = 1_000;

function freedHint(limit: string, count: number): Hint {
  return { kind: "freed", limit, count, draw: hashOf(limit) };
}

function isDueSoon(event: { readonly dueInMs: number | undefined }): boolean {
  return event.dueInMs !== undefined && event.dueInMs <= hintHorizonMs;
}

interface Waiting {
  readonly jobId: string;
  /** The name under which workers claim it. */
  readonly typeName: string;
  /** Undefined: it is ready. */
  readonly dueInMs: number | undefined;
}

function waitingJob({ jobId, typeName, claimName }: WaitingJob, dueInMs: number | undefined): Waiting {
  const isDue = dueInMs !== undefined && dueInMs > 0;
  return { jobId, typeName: claimName ?? typeName, dueInMs: isDue ? Math.ceil(dueInMs) : undefined };
}

function readyHints(jobs: Iterable<Waiting>): readonly Hint[] {
  return mergeHints(
    Array.from(jobs, ({ jobId, typeName, dueInMs }): Hint => {
      const hint = { kind: "ready", typeName, count: 1, draw: hashOf(jobId) } as const;
      return dueInMs === undefined ? hint : { ...hint, dueInMs };
    }),
  );
}
