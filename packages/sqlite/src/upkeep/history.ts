import {
  addTotals,
  historySpans,
  noAttempts,
  type AttemptTotals,
  type CountedAttempts,
  type HistoryQuery,
  type HistoryRecord,
  type HistoryReply,
} from "chainwright/adapter";
import { countsOf } from "../result-rows.ts";
import type { Store } from "../store.ts";

interface HistoryRow {
  readonly at: number;
  readonly completed: number;
  readonly failed: number;
  readonly retried: number;
  readonly longest_wait_ms: number;
  readonly run_times: string;
}

const columns = "at, completed, failed, retried, longest_wait_ms, run_times";

/** Adds what a worker has counted to the totals of this moment. */
export function createAddCounted({
  tables: t,
  sql,
}: Store): (counted: readonly CountedAttempts[], now: number) => void {
  const known = sql<HistoryRow>(`select ${columns} from ${t.history} where every_ms = ? and at = ? and type_name = ?`);
  const write = sql(
    `insert or replace into ${t.history} (every_ms, at, type_name, completed, failed, retried, longest_wait_ms, run_times)
     values (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  return (counted, now) => {
    for (const { everyMs } of historySpans) {
      const at = now - (now % everyMs);
      for (const { typeName, ...totals } of counted) {
        const row = known.get(everyMs, at, typeName);
        const sum = addTotals(row === undefined ? noAttempts : recordOf(row), totals);
        write.run(everyMs, at, typeName, ...valuesOf(sum));
      }
    }
  };
}

function valuesOf({ completed, failed, retried, longestWaitMs, runTimes }: AttemptTotals) {
  return [completed, failed, retried, longestWaitMs, JSON.stringify(runTimes)] as const;
}

/** Each moment is looked up by itself, because the rows of other types lie between them. */
export function createReadHistory({ tables: t, sql }: Store): (query: HistoryQuery, now: number) => HistoryReply {
  const totals = sql<HistoryRow>(
    `select ${columns} from ${t.history}
     where every_ms = ? and at in (select value from json_each(?)) and type_name = ? order by at`,
  );
  return ({ everyMs, forMs, typeName }, now) => {
    const newest = now - (now % everyMs);
    const moments = Array.from({ length: Math.ceil(forMs / everyMs) + 1 }, (_, back) => newest - back * everyMs);
    const rows = totals.all(everyMs, JSON.stringify(moments.filter((at) => at > now - forMs - everyMs)), typeName);
    return { now, totals: rows.map(recordOf) };
  };
}

/** Deletes up to so many totals that are too old. Returns whether there may be more. */
export function createForgetHistory({ tables: t, sql }: Store): (limit: number, now: number) => boolean {
  const forget = sql(
    `delete from ${t.history} where (every_ms, at, type_name) in (
       select every_ms, at, type_name from ${t.history} where every_ms = ? and at <= ? order by at, type_name limit ?)`,
  );
  const changes = sql<{ count: number }>("select changes() as count");
  return (limit, now) => {
    let more = false;
    for (const { everyMs, keptMs } of historySpans) {
      forget.run(everyMs, now - keptMs, limit);
      more = (changes.get()?.count ?? 0) >= limit || more;
    }
    return more;
  };
}

function recordOf(row: HistoryRow): HistoryRecord {
  const { at, completed, failed, retried, longest_wait_ms: longestWaitMs, run_times: runTimes } = row;
  return { at, completed, failed, retried, longestWaitMs, runTimes: countsOf(runTimes) };
}
