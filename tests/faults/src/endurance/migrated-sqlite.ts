import { join } from "node:path";
import Database from "better-sqlite3";
import { ageMs, rowsAtOnce, sayHow, type OpenMigratedStore, type Sizes } from "./migrated-store.ts";

/** SQLite has one lock for all tables, so a lock is held at most for the whole migration. */
export const openMigratedSqlite: OpenMigratedStore = async (folder, { dataDir }) => {
  const path = join(dataDir ?? folder, "jobs.db");
  const database = new Database(path, { timeout: 10_000 });
  return {
    place: { kind: "sqlite", path },
    fill: async (sizes) => {
      if (database.prepare("select 1 from chainwright_job limit 1").get() !== undefined) return;
      fillHistory(database, sizes);
      fillOpenJobs(database, sizes);
      database.pragma("wal_checkpoint(truncate)");
    },
    layout: async () => {
      const roots = "select name || ' at page ' || rootpage as root from sqlite_schema where rootpage > 0";
      return new Set(
        database
          .prepare<[], { root: string }>(roots)
          .all()
          .map(({ root }) => root),
      );
    },
    watchLocks: async () => ({
      end: async ({ began, ended }) => new Map([["the database, at most", ended - began]]),
    }),
    close: async () => void database.close(),
  };
};

/** Inserts chains of one job that have completed, in the order of their ids, as a store that is in use has. */
function fillHistory(database: Database.Database, sizes: Sizes): void {
  const { historyRows } = sizes;
  const began = Date.now();
  const insert = database.prepare(
    `insert into chainwright_job (seq, id, step, type_name, status, priority, attempt, fence, created_at, started_at, ended_at, leased_by,
      blockers, blockers_left, on_blocker_failure, chain_status, chain_ended_at, ended_job, input, output)
    with recursive n (n) as (select @first union all select n + 1 from n where n < @last),
      a (n, at) as (select n, @from + cast(@age * 1.0 * n / @rows as integer) from n)
    select n, ${idFrom("at", "n")}, 1, 'past', 'completed', 0, 1, 1, at, at + 5, at + 10, 'a worker of the past',
      0, 0, 'fail', 'completed', at + 10, n, '{"n":' || n || '}', '"done"' from a`,
  );
  for (let done = 0; done < historyRows; done += rowsAtOnce) {
    const last = Math.min(historyRows, done + rowsAtOnce);
    insert.run({ first: done + 1, last, rows: historyRows, from: began - ageMs, age: ageMs });
    sayHow(last, sizes, began);
  }
  database
    .prepare("insert into chainwright_tally (type_name, status, count) values ('past', 'completed', ?)")
    .run(historyRows);
}

/** Inserts chains of one ready job, which no worker takes because none has its type. */
function fillOpenJobs(database: Database.Database, { historyRows, openRows }: Sizes): void {
  const first = historyRows + 1;
  const now = Date.now();
  database
    .prepare(
      `insert into chainwright_job (seq, id, step, type_name, status, priority, attempt, created_at, blockers, blockers_left,
        on_blocker_failure, chain_status, input)
      with recursive n (n) as (select @first union all select n + 1 from n where n < @last)
      select n, ${idFrom("@now", "n")}, 1, 'waiting', 'open', 0, 0, @now, 0, 0, 'fail', 'active', '1' from n`,
    )
    .run({ first, last: historyRows + openRows, now });
  database
    .prepare(
      `insert into chainwright_open_job (job, chain, type_name, priority, state, due_at, attempt)
      select seq, seq, type_name, 0, 0, @now, 0 from chainwright_job where seq >= @first`,
    )
    .run({ first, now });
}

/** A UUID of version 7 whose random part is a number. */
function idFrom(at: string, number: string): string {
  const [time, digits] = [`printf('%012x', ${at})`, `printf('%012x', ${number})`];
  return `substr(${time}, 1, 8) || '-' || substr(${time}, 9) || '-7000-8000-' || ${digits}`;
}
