import type { Examiner, SqlitePlace } from "./open-store.ts";
import { openHandle } from "./sqlite-handle.ts";

/** The tables, triggers and views that the rules of the oracle query. */
export const oracleTables = `
  create table fault_effect (job_id text, chain_id text, attempt integer, kind text, spawned text, name text, value text);
  create index fault_effect_chain on fault_effect (chain_id);
  create index fault_effect_job on fault_effect (job_id);
  create table fault_key (key text primary key) without rowid;
  create table fault_said (id text, kind text);
  create index fault_said_id on fault_said (id);
  create table fault_reported (id text, kind text, times integer, calm_times integer);
  create index fault_reported_id on fault_reported (id);
  create table fault_change (n integer primary key, job_id text, before text, after text, chain_before text, chain_after text);
  create index fault_change_job on fault_change (job_id);
  create table fault_gone (id text, step integer, type text, status text, attempt integer, key text);
  create index fault_gone_id on fault_gone (id);
  create trigger fault_changed after update on chainwright_job
    when old.status is not new.status or old.chain_status is not new.chain_status
  begin
    insert into fault_change (job_id, before, after, chain_before, chain_after)
    values (new.id, old.status, new.status, old.chain_status, new.chain_status);
  end;
  create trigger fault_begun after insert on chainwright_job when new.status not in ('open', 'blocked')
  begin
    insert into fault_change (job_id, before, after, chain_before, chain_after)
    values (new.id, null, new.status, null, new.chain_status);
  end;
  create trigger fault_deleted after delete on chainwright_job
  begin
    insert into fault_gone values (old.id, old.step, old.type_name, old.status, old.attempt, old.key);
  end;
  create view fault_job as
    select j.id, coalesce(c.id, j.id) as chain_id, j.step, j.type_name as type, j.status, j.chain_status, j.attempt, j.key,
      case j.type_name when 'loop' then json_extract(j.input, '$.rounds') end as rounds
    from chainwright_job j left join chainwright_job c on c.seq = j.chain;
  create view fault_ever as
    select id, step, type, status, attempt, key from fault_job union all
    select id, step, type, status, attempt, key from fault_gone;
  create view fault_open as
    select coalesce(j.id, 'job ' || o.job) as id, coalesce(c.id, 'chain ' || o.chain) as chain_id
    from chainwright_open_job o left join chainwright_job j on j.seq = o.job left join chainwright_job c on c.seq = o.chain
    union all
    select j.id, coalesce(c.id, case when j.chain is null then j.id else 'chain ' || j.chain end)
    from chainwright_job j left join chainwright_job c on c.seq = j.chain where j.status = 'blocked';`;

/** How long others may hold the writer before it counts as never released. */
const freeWithinMs = 5_000;

export function examineSqlite(place: SqlitePlace): Examiner {
  const database = openHandle(place, 10_000);
  const all = (sql: string) => (database.prepare(sql).all() as object[]).map((row): unknown[] => Object.values(row));
  const inTransaction = (work: () => void): void => {
    database.exec("begin immediate");
    work();
    database.exec("commit");
  };
  return {
    count: async (sql) => Number(all(sql)[0]?.[0] ?? 0),
    rows: async (sql) => all(sql),
    say: async (kind, ids) => {
      const insert = database.prepare("insert into fault_said (id, kind) values (?, ?)");
      inTransaction(() => {
        for (const id of ids) insert.run(id, kind);
      });
    },
    recordReports: async (reports) => {
      const insert = database.prepare("insert into fault_reported (id, kind, times, calm_times) values (?, ?, ?, ?)");
      inTransaction(() => {
        for (const { id, kind, times, calmTimes } of reports) insert.run(id, kind, times, calmTimes);
      });
    },
    // SQLite has one writer, so any open transaction holds it.
    sessions: async () => (isFree(place) ? [] : [{ owner: "the writer", idleInTransactionMs: freeWithinMs }]),
    close: async () => database.close(),
  };
}

function isFree(place: SqlitePlace): boolean {
  const database = openHandle(place, freeWithinMs);
  try {
    database.exec("begin immediate; rollback");
    return true;
  } catch {
    return false;
  } finally {
    database.close();
  }
}
