import type { ChainwrightEvent } from "../model/event.ts";
import type { Hint } from "../ports/notify.ts";
import { isChainEvent } from "./events.ts";

/**
 * Jobs due later than this are not hinted: every worker looks at least this often by itself, and then learns when they are
 * due. Also the longest poll interval a worker accepts.
 */
export const hintHorizonMs = 60_000;

/** What is worth telling other processes of one commit: as few hints as will do, none that nobody can use. */
export function hintsOf(events: readonly ChainwrightEvent[]): Hint[] {
  const waiting = new Map<string, string>();
  const hints: Hint[] = [];
  for (const event of events) {
    if (!isChainEvent(event)) continue;
    switch (event.type) {
      case "job-started":
        if (event.status === "ready" || isDueSoon(event)) waiting.set(event.jobId, event.typeName);
        break;
      case "job-unblocked":
        if (event.dueInMs === undefined || isDueSoon(event)) waiting.set(event.jobId, event.typeName);
        break;
      case "job-retried":
        if (event.dueInMs <= hintHorizonMs) waiting.set(event.jobId, event.typeName);
        break;
      case "job-triggered":
        waiting.set(event.jobId, event.typeName);
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
        hints.push({ kind: "ended", chainId: event.chainId }, { kind: "interrupt", jobId: event.jobId });
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

function isDueSoon(event: { readonly dueInMs: number | undefined }): boolean {
  return event.dueInMs !== undefined && event.dueInMs <= hintHorizonMs;
}

function readyHints(typeNames: Iterable<string>): Hint[] {
  const counts = new Map<string, number>();
  for (const typeName of typeNames) counts.set(typeName, (counts.get(typeName) ?? 0) + 1);
  return Array.from(counts, ([typeName, count]) => ({ kind: "ready", typeName, count }));
}

/** One hint for each type, chain and job: what gathered while a message was under way. */
export function mergeHints(hints: readonly Hint[]): Hint[] {
  const merged = new Map<string, Hint>();
  for (const hint of hints) {
    const key = `${hint.kind} ${subjectOf(hint)}`;
    const before = merged.get(key);
    merged.set(
      key,
      before?.kind === "ready" && hint.kind === "ready" ? { ...hint, count: before.count + hint.count } : hint,
    );
  }
  return [...merged.values()];
}

function subjectOf(hint: Hint): string {
  if (hint.kind === "ready") return hint.typeName;
  return hint.kind === "ended" ? hint.chainId : hint.jobId;
}
