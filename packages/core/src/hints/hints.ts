import type { ChainEvent, ChainwrightEvent, EventJob } from "../model/event.ts";
import type { Hint } from "../ports/notify.ts";
import { hashOf } from "./hash.ts";

/**
 * Jobs due later than this are not hinted: every worker looks at least this often by itself, and then learns when they are
 * due. Also the longest poll interval a worker accepts.
 */
export const hintHorizonMs = 60_000;

/** What is worth telling other processes of one commit: as few hints as will do, none that nobody can use. */
export function hintsOf(events: readonly ChainwrightEvent[]): Hint[] {
  const waiting = new Map<string, Waiting>();
  const hints: Hint[] = [];
  for (const event of events) {
    if (!isChainEvent(event)) continue;
    switch (event.type) {
      case "job-started":
        if (event.status === "ready") waiting.set(event.jobId, waitingJob(event, undefined));
        if (isDueSoon(event)) waiting.set(event.jobId, waitingJob(event, event.dueInMs));
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
      case "job-claimed":
        // Claimed in the round trip that made it ready: nobody needs to come for it.
        waiting.delete(event.jobId);
        break;
      case "chain-completed":
      case "chain-failed":
        hints.push({ kind: "ended", chainId: event.chainId });
        break;
      case "chain-cancelled":
        hints.push({ kind: "ended", chainId: event.chainId });
        if (event.interrupted !== undefined) hints.push({ kind: "interrupt", jobId: event.jobId });
        break;
      case "chain-deleted":
        hints.push({ kind: "ended", chainId: event.chainId });
        if (event.interrupted !== undefined) hints.push({ kind: "interrupt", jobId: event.interrupted.jobId });
        break;
      case "job-completed":
      case "job-continued":
        if (event.workerId === undefined) hints.push({ kind: "interrupt", jobId: event.jobId });
        break;
      default:
    }
  }
  return [...readyHints(waiting.values()), ...hints];
}

/** Only events about a chain can wake a worker or end a wait. */
function isChainEvent(event: ChainwrightEvent): event is ChainEvent {
  return "chainId" in event;
}

function isDueSoon(event: { readonly dueInMs: number | undefined }): boolean {
  return event.dueInMs !== undefined && event.dueInMs <= hintHorizonMs;
}

interface Waiting {
  readonly jobId: string;
  readonly typeName: string;
  /** It is not ready yet: everybody has to learn when it will be. */
  readonly isDue: boolean;
}

function waitingJob({ jobId, typeName }: EventJob, dueInMs: number | undefined): Waiting {
  return { jobId, typeName, isDue: dueInMs !== undefined && dueInMs > 0 };
}

function readyHints(jobs: Iterable<Waiting>): readonly Hint[] {
  return mergeHints(
    Array.from(jobs, ({ jobId, typeName, isDue }): Hint => {
      const hint = { kind: "ready", typeName, count: 1 } as const;
      return isDue ? hint : { ...hint, draw: hashOf(jobId) };
    }),
  );
}

/** One hint for each type, chain and job: what gathered while a message was under way. */
export function mergeHints(hints: readonly Hint[]): Hint[] {
  const merged = new Map<string, Hint>();
  for (const hint of hints) {
    const key = `${hint.kind} ${subjectOf(hint)}`;
    const before = merged.get(key);
    const isSum = before !== undefined && "count" in before && "count" in hint;
    merged.set(key, isSum ? { ...hint, count: before.count + hint.count } : hint);
  }
  return [...merged.values()];
}

function subjectOf(hint: Hint): string {
  switch (hint.kind) {
    case "ready":
      return `${hint.draw === undefined ? "all" : "some"} ${hint.typeName}`;
    case "taken":
      return `${hint.workerId} ${hint.typeName}`;
    case "left":
      return hint.workerId;
    case "ended":
      return hint.chainId;
    case "interrupt":
      return hint.jobId;
    case "look":
      return "";
  }
}
