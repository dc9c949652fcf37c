import { checkKeys, checkText, invalid, show } from "../checks/check-options.ts";
import type { StoreAccess } from "../engine/engine.ts";
import { historySpans, noAttempts, runTimeAt } from "../model/history.ts";
import type { HistoryRecord } from "../ports/history.ts";
import type { HistoryPoint, JobHistory, JobHistoryOptions } from "../types/job-history.ts";
import type { InTransaction } from "../types/list-options.ts";

type Options = JobHistoryOptions & InTransaction<unknown>;

const historyKeys = { over: true, typeName: true, tx: true } satisfies Record<keyof Options, true>;
const [fine, coarse] = historySpans;
const ranges = {
  hour: { everyMs: fine.everyMs, forMs: 3_600_000 },
  day: { everyMs: coarse.everyMs, forMs: 24 * 3_600_000 },
};

/** What workers have counted, a point for each length of time: also for those in which nothing happened. */
export async function jobHistory(store: StoreAccess, options: Options = {}): Promise<JobHistory> {
  checkKeys(options, historyKeys, "jobHistory");
  const { over = "hour", typeName } = options;
  if (!Object.hasOwn(ranges, over)) throw invalid(`over must be "hour" or "day"; got ${show(over)}.`);
  const { everyMs, forMs } = ranges[over];
  const query = { everyMs, forMs, typeName: typeName === undefined ? "" : checkText(typeName, "typeName", 1_000) };
  const reply = await store.state.readHistory?.(query, store.callOptions(options.tx));
  if (reply === undefined) return { everyMs, points: [] };
  const { now, totals } = reply;
  const byAt = new Map(totals.map((each) => [each.at, each]));
  const newest = now - (now % everyMs);
  const points = Array.from({ length: forMs / everyMs }, (_, index) => {
    const at = newest - forMs + (index + 1) * everyMs;
    return pointOf(byAt.get(at) ?? { ...noAttempts, at });
  });
  return { everyMs, points };
}

function pointOf({ at, completed, failed, retried, longestWaitMs, runTimes }: HistoryRecord): HistoryPoint {
  return {
    at: new Date(at),
    completed,
    failed,
    retried,
    longestWaitMs,
    p50Ms: runTimeAt(runTimes, 0.5),
    p95Ms: runTimeAt(runTimes, 0.95),
  };
}
