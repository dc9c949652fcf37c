import type { PoolClient } from "pg";
import type { FaultTx, StorePlace } from "../store/open-store.ts";
import { openHandle, type Handle } from "../store/sqlite-handle.ts";
import { withPostgres } from "../store/with-postgres.ts";

/*
 * The table of an application that has a row for each job of a key, from before its work until its end. The place of a limit belongs
 * to the job, so a row stays open while its worker is dead, and while the job keeps its place for a retry. The table refuses a row that
 * overlaps another one of its key: on Postgres with an exclusion constraint, on SQLite, which has none, with a trigger.
 *
 * The log has each lease and each end of one, in their order, written by triggers on the table of the library. So has the log of
 * breakers: each time that one opens, and each job that begins as a probe although the last probe is leased.
 */

const postgresTables = (schema: string) => `
  create extension if not exists btree_gist;
  create table limited_run (
    job_id uuid primary key, key text not null, during tstzrange not null, ends integer not null default 0,
    constraint no_overlap exclude using gist (key with =, during with &&)
  );
  create view ${schema}.limited_span as
    select job_id, key, case when upper_inf(during) then 1 else 0 end as is_open, ends from limited_run;
  create table limited_log (
    n bigint generated always as identity, job_id uuid, what text, worker text, attempt integer, at double precision
  );
  create function limited_note() returns trigger language plpgsql as $$
  begin
    if tg_op = 'DELETE' then
      insert into public.limited_log (job_id, what) values (old.job_id, 'ended');
    elsif new.leased_by is null then
      insert into public.limited_log (job_id, what) values (new.job_id, 'put back');
    else
      insert into public.limited_log (job_id, what, worker, attempt, at)
      values (new.job_id, 'leased', new.leased_by, new.attempt, new.started_at);
    end if;
    return null;
  end $$;
  create trigger limited_leased after update on ${schema}.open_job for each row
    when (new.leased_by is distinct from old.leased_by or new.fence <> old.fence) execute function limited_note();
  create trigger limited_ended after delete on ${schema}.open_job for each row execute function limited_note();
  create table ${schema}.limited_breaker (
    n bigint generated always as identity, what text, gate text, before uuid, probe uuid
  );
  create function limited_breaks() returns trigger language plpgsql as $$
  begin
    if new.open_until is distinct from old.open_until then
      insert into ${schema}.limited_breaker (what, gate) select 'opened', new.gate where new.open_until is not null;
    elsif exists (select from ${schema}.open_job o where o.job_id = old.probe and o.state = 0) then
      insert into ${schema}.limited_breaker (what, gate, before, probe) values ('two probes', new.gate, old.probe, new.probe);
    end if;
    return null;
  end $$;
  create trigger limited_broken after update on ${schema}.gate_rule for each row
    when (new.open_until is distinct from old.open_until or new.probe <> old.probe) execute function limited_breaks();
  create view ${schema}.limited_lease as
    select l.n, l.job_id, j.type_name as type, j.input::json->>'key' as key, l.what, l.attempt, l.at
    from limited_log l join ${schema}.job j on j.id = l.job_id;`;

const sqliteTables = `
  create table limited_run (
    job_id text primary key, key text not null, began real not null, ended real, ends integer not null default 0
  );
  create index limited_run_key on limited_run (key);
  create trigger no_overlap before insert on limited_run
  when exists (
    select 1 from limited_run r where r.key = new.key and r.job_id <> new.job_id and (r.ended is null or r.ended > new.began))
  begin
    select raise(abort, 'no_overlap');
  end;
  create view limited_span as select job_id, key, ended is null as is_open, ends from limited_run;
  create table limited_log (n integer primary key, job integer, what text, worker text, attempt integer, at real);
  create trigger limited_leased after update on chainwright_open_job
  when new.leased_by is not old.leased_by or new.fence <> old.fence
  begin
    insert into limited_log (job, what, worker, attempt, at)
    values (new.job, iif(new.leased_by is null, 'put back', 'leased'), new.leased_by, new.attempt, new.started_at);
  end;
  create trigger limited_ended after delete on chainwright_open_job
  begin
    insert into limited_log (job, what) values (old.job, 'ended');
  end;
  create table limited_breaker (n integer primary key, what text, gate text, before text, probe text);
  create trigger limited_opened after update of breaker on chainwright_gate
  when new.breaker ->> 'kind' = 'opened' and new.breaker ->> 'openUntil' is not old.breaker ->> 'openUntil'
  begin
    insert into limited_breaker (what, gate) values ('opened', new.key);
  end;
  create trigger limited_probed after update of breaker on chainwright_gate
  when new.breaker ->> 'probe' <> old.breaker ->> 'probe' and new.breaker ->> 'openUntil' = old.breaker ->> 'openUntil' and exists (
    select 1 from chainwright_job j join chainwright_open_job o on o.job = j.seq
    where j.id = old.breaker ->> 'probe' and o.state = 0)
  begin
    insert into limited_breaker (what, gate, before, probe)
    values ('two probes', new.key, old.breaker ->> 'probe', new.breaker ->> 'probe');
  end;
  create view limited_lease as
    select l.n, j.id as job_id, j.type_name as type, json_extract(j.input, '$.key') as key, l.what, l.attempt, l.at
    from limited_log l join chainwright_job j on j.seq = l.job;`;

/** Creates the table of the application and the log of leases. */
export async function prepareWitness(place: StorePlace): Promise<void> {
  if (place.kind === "postgres") {
    await withPostgres(place.url, (client) => client.query(postgresTables(place.schema)));
    return;
  }
  const database = openHandle(place, 5_000);
  database.exec(sqliteTables);
  database.close();
}

/** What handlers write about a job, in their transactions. */
export interface Witness {
  /** Opens the row of a job, unless an earlier attempt has. Throws if it overlaps another one of the key. */
  began(tx: FaultTx, jobId: string, key: string): Promise<void>;
  /** Closes it. */
  ended(tx: FaultTx, jobId: string): Promise<void>;
}

/** What the error of an overlap contains. */
export const overlapError = "no_overlap";

export function witnessOf({ kind }: Pick<StorePlace, "kind">): Witness {
  return kind === "postgres" ? onPostgres : onSqlite;
}

const postgresTx = (tx: FaultTx) => tx as unknown as PoolClient;

const onPostgres: Witness = {
  began: async (tx, jobId, key) => {
    const sql = `insert into limited_run (job_id, key, during) values ($1, $2, tstzrange(clock_timestamp(), null))
      on conflict (job_id) do nothing`;
    await postgresTx(tx).query(sql, [jobId, key]);
  },
  ended: async (tx, jobId) => {
    const sql = `update limited_run set during = tstzrange(lower(during), clock_timestamp()), ends = ends + 1 where job_id = $1`;
    await postgresTx(tx).query(sql, [jobId]);
  },
};

const sqliteTx = (tx: FaultTx) => tx as unknown as Handle;

const onSqlite: Witness = {
  began: async (tx, jobId, key) => {
    const sql = `insert into limited_run (job_id, key, began) values (?, ?, unixepoch('subsec')) on conflict (job_id) do nothing`;
    sqliteTx(tx).prepare(sql).run(jobId, key);
  },
  ended: async (tx, jobId) => {
    const sql = "update limited_run set ended = unixepoch('subsec'), ends = ends + 1 where job_id = ?";
    sqliteTx(tx).prepare(sql).run(jobId);
  },
};
