import type { LostReason, Outcome } from "../model/outcome.ts";
import { addTotals, noAttempts, placeOf, type AttemptTotals } from "../model/history.ts";
import type { CountedAttempts } from "../ports/history.ts";

/** How an attempt has ended. Without an outcome it has settled its job by itself, unless it lost it. */
interface End {
  readonly outcome: Outcome | undefined;
  readonly lost?: LostReason | undefined;
}

/**
 * Counts what the workers of a client do, in memory, until the next heartbeat of one of them carries it to the store: jobs cost no write
 * for it.
 */
export interface AttemptCounts {
  /** A job was claimed after it had waited for this time. */
  claimed(typeName: string, waitedMs: number): void;
  /** A call of a handler has ended. One that lost its job, or that does not count as an attempt, is not counted. */
  ended(typeName: string, end: End, ranMs: number): void;
  /** Takes out what was counted since the last time. */
  take(): readonly CountedAttempts[];
  /** The store may not have got it: the next report has it again. */
  putBack(counted: readonly CountedAttempts[]): void;
}

/** Types beyond these are only in the total, so that a report has a bounded size. */
const mostTypes = 100;
const everyType = "";

/** Changed in place: it is written twice for each attempt. */
type Counting = { -readonly [Field in keyof AttemptTotals]: AttemptTotals[Field] extends number ? number : number[] };

export function createAttemptCounts(): AttemptCounts {
  let byType = new Map<string, Counting>();
  const of = (typeName: string): Counting | undefined => {
    const known = byType.get(typeName);
    if (known !== undefined || byType.size > mostTypes) return known;
    const fresh = { ...noAttempts, runTimes: [] };
    byType.set(typeName, fresh);
    return fresh;
  };
  return {
    claimed(typeName, waitedMs) {
      // The total first: it is there whatever the number of types.
      noteWait(of(everyType), waitedMs);
      noteWait(of(typeName), waitedMs);
    },
    ended(typeName, ending, ranMs) {
      const end = nameOf(ending);
      if (end === undefined) return;
      const place = placeOf(ranMs);
      noteEnd(of(everyType), end, place);
      noteEnd(of(typeName), end, place);
    },
    take() {
      const counted = Array.from(byType, ([typeName, totals]) => ({ typeName, ...totals }));
      byType = new Map();
      return counted;
    },
    putBack(counted) {
      for (const { typeName, ...totals } of counted) {
        const counting = of(typeName);
        if (counting !== undefined) Object.assign(counting, addTotals(counting, totals));
      }
    },
  };
}

function noteWait(counting: Counting | undefined, waitedMs: number): void {
  if (counting !== undefined && waitedMs > counting.longestWaitMs) counting.longestWaitMs = waitedMs;
}

function noteEnd(counting: Counting | undefined, end: EndName, place: number): void {
  if (counting === undefined) return;
  counting[end] += 1;
  while (counting.runTimes.length <= place) counting.runTimes.push(0);
  counting.runTimes[place] = (counting.runTimes[place] ?? 0) + 1;
}

type EndName = "completed" | "failed" | "retried";

function nameOf({ outcome, lost }: End): EndName | undefined {
  if (lost !== undefined) return undefined;
  switch (outcome?.kind) {
    case "failed":
      return "failed";
    case "deferred":
      return outcome.counted ? "retried" : undefined;
    default:
      return "completed";
  }
}
