import type { Mutant } from "../mutant.ts";

/** Keep what workers have counted for a day, whole and at a bounded cost. */
export const historyMutants: readonly Mutant[] = [
  {
    name: "history: what a failed heartbeat carried goes with the next one",
    in: "core:withCounts",
    find: "counts.putBack(counted);",
    replace: "",
  },
  {
    name: "history: an idle worker's heartbeat writes none",
    in: "core:withCounts",
    find: "counted.length > 0 ? { counted } : {}",
    replace: "{ counted }",
  },
  {
    name: "history: a report has a bounded number of types",
    in: "core:createAttemptCounts",
    find: "byType.size > mostTypes",
    replace: "byType.size < 0",
  },
  {
    name: "history: totals are kept for their time",
    in: "core:forgetHistory",
    find: "if (row.at > now - (keptMs.get(row.everyMs) ?? 0)) continue;",
    replace: "",
  },
  {
    name: "history: totals end after their time",
    in: "core:forgetHistory",
    find: "if (row.at > now - (keptMs.get(row.everyMs) ?? 0)) continue;",
    replace: "if (keptMs.size > 0) continue;",
  },
];

export const sqliteHistoryMutants: readonly Mutant[] = [
  {
    name: "SQLite, history: totals are kept for their time",
    in: "sqlite:createForgetHistory",
    find: "forget.run(everyMs, now - keptMs, limit);",
    replace: "forget.run(everyMs, now, limit);",
  },
  {
    name: "SQLite, history: the counts of two workers are added up",
    in: "sqlite:createAddCounted",
    find: "addTotals(row === undefined ? noAttempts : recordOf(row), totals)",
    replace: "addTotals(noAttempts, totals)",
  },
];

export const postgresHistoryMutants: readonly Mutant[] = [
  {
    name: "Postgres, history: totals are kept for their time",
    in: "postgres:forgetHistory",
    find: "o.at <= ${now} - ${keptMs}",
    replace: "o.at <= ${now}",
  },
  {
    name: "Postgres, history: the counts of two workers are added up",
    in: "postgres:addCounted",
    find: "completed = h.completed + excluded.completed",
    replace: "completed = excluded.completed",
  },
];
