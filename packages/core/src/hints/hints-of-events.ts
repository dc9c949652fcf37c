import type { ChainEvent, ChainwrightEvent, EndedChain, LimitEvent, PauseEvent, WaitingJob } from "../model/event.ts";
import type { Hint } from "../ports/notify.ts";
import { hashOf } from "./hash.ts";
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
export function hintsOf(events: readonly ChainwrightEvent[], { announcedEnds, limitsOf }: HintSettings): Hint[] {
  const waiting = new Map<string, Waiting>();
  const hints: Hint[] = [];
  const announceEnd = (chain: EndedChain): void => {
    if (isAnnounced(announcedEnds, chain)) hints.push({ kind: "ended", chainId: chain.chainId });
  };
  for (const event of events) {
    if (event.type === "types-paused" || event.type === "types-resumed") hints.push(...pauseHints(event));
    if (isOpening(event)) hints.push(freedHint(event.limit, anyNumber));
    hints.push(...timeHints(event));
    if (!isChainEvent(event)) continue;
    if (endsFromOutside(event) && "typeName" in event)
      hints.push(...limitsOf(event.typeName).map((limit) => freedHint(limit, 1)));
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
      case "chain-completed":
      case "chain-failed":
        announceEnd(event);
        break;
      case "chain-cancelled":
        announceEnd(event);
        if (event.interrupted !== undefined) hints.push({ kind: "interrupt", jobId: event.jobId });
        break;
      case "chain-deleted":
        hints.push({ kind: "ended", chainId: event.chainId });
        if (event.interrupted !== undefined) hints.push({ kind: "interrupt", jobId: event.interrupted.jobId });
        break;
      case "job-completed":
      case "job-continued":
        if (endsFromOutside(event)) hints.push({ kind: "interrupt", jobId: event.jobId });
        break;
      default:
    }
  }
  return [...readyHints(waiting.values()), ...hints];
}

function isAnnounced(ends: AnnouncedEnds, { chainId, awaited }: EndedChain): boolean {
  if (typeof ends !== "string") return ends.has(chainId);
  return ends === "all" || awaited === true;
}

const noHints: readonly Hint[] = [];

/** Workers ask when a schedule ticks next, and when the next deadline is. */
function timeHints(event: ChainwrightEvent): readonly Hint[] {
  if (event.type === "schedules-changed") return [{ kind: "schedules" }];
  if (event.type !== "chain-started" || event.deadlineInMs === undefined) return noHints;
  return [{ kind: "deadline", inMs: event.deadlineInMs }];
}

/** All workers hear of a pause. After it all look at once: any number of jobs may wait. */
function pauseHints({ type, typeNames }: PauseEvent): readonly Hint[] {
  return typeNames.map((typeName) =>
    type === "types-paused" ? { kind: "paused", typeName } : { kind: "ready", typeName, count: 1 },
  );
}

const openings: ReadonlySet<ChainwrightEvent["type"]> = new Set([
  "limit-changed",
  "limit-reset",
  "limit-resumed",
  "limit-closed",
]);

/** Whether a caller that is not a worker has ended an open job, which may have had places of limits: it ran, or kept them for a retry. */
function endsFromOutside(event: ChainEvent): boolean {
  if (event.type === "job-cancelled" || event.type === "chain-deleted") return true;
  return (event.type === "job-completed" || event.type === "job-continued") && event.workerId === undefined;
}

const anyNumber = 1_000;

function freedHint(limit: string, count: number): Hint {
  return { kind: "freed", limit, count, draw: hashOf(limit) };
}

/** Any number of jobs may begin after such a change. `limit-closed`: its breaker is closed, so the key is normal again. */
function isOpening(event: ChainwrightEvent): event is LimitEvent {
  return openings.has(event.type);
}

/** Of the other events, only those about a chain can wake a worker or end a wait. */
function isChainEvent(event: ChainwrightEvent): event is ChainEvent {
  return "chainId" in event && !("scheduleId" in event);
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
