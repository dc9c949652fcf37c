import { Pool } from "pg";
import type { Examiner } from "./open-store.ts";
import { sessionPrefix } from "./postgres-client.ts";
import type { PostgresPlace } from "./postgres-client.ts";

/** The tables, triggers and views that the rules of the oracle query. */
export function oracleTables(s: string): string {
  const name = (column: string, open: string) =>
    `case ${column} when 0 then '${open}' when 1 then 'completed' when 2 then 'failed' when 3 then 'cancelled' end`;
  return `
  create table ${s}.fault_effect (job_id uuid, chain_id uuid, attempt integer, kind text, spawned uuid, name text, value text);
  create index on ${s}.fault_effect (chain_id);
  create index on ${s}.fault_effect (job_id);
  create table ${s}.fault_key (key text primary key);
  create table ${s}.fault_said (id uuid, kind text);
  create index on ${s}.fault_said (id);
  create table ${s}.fault_reported (id uuid, kind text, times integer, calm_times integer);
  create index on ${s}.fault_reported (id);
  create table ${s}.fault_change (n bigint generated always as identity, job_id uuid, before text, after text,
    chain_before text, chain_after text);
  create index on ${s}.fault_change (job_id);
  create table ${s}.fault_gone (id uuid, step integer, type text, status text, attempt integer, key text);
  create index on ${s}.fault_gone (id);
  create function ${s}.fault_note() returns trigger language plpgsql as $$
  begin
    if tg_op = 'DELETE' then
      insert into ${s}.fault_gone values (old.id, old.step, old.type_name, ${name("old.status", "open")}, old.attempt, old.key);
    else
      insert into ${s}.fault_change (job_id, before, after, chain_before, chain_after) values (new.id,
        ${name("old.status", "open")}, ${name("new.status", "open")},
        ${name("old.chain_status", "active")}, ${name("new.chain_status", "active")});
    end if;
    return null;
  end $$;
  create trigger fault_changed after update on ${s}.job for each row
    when (old.status is distinct from new.status or old.chain_status is distinct from new.chain_status)
    execute function ${s}.fault_note();
  create trigger fault_begun after insert on ${s}.job for each row when (new.status <> 0) execute function ${s}.fault_note();
  create trigger fault_deleted after delete on ${s}.job for each row execute function ${s}.fault_note();
  create view ${s}.fault_job as
    select id, chain_id, step, type_name as type, ${name("status", "open")} as status,
      ${name("chain_status", "active")} as chain_status, attempt, key,
      case type_name when 'loop' then (input::json->>'rounds')::integer end as rounds
    from ${s}.job;
  create view ${s}.fault_ever as
    select id, step, type, status, attempt, key from ${s}.fault_job union all
    select id, step, type, status, attempt, key from ${s}.fault_gone;
  create view ${s}.fault_open as select job_id as id, chain_id from ${s}.open_job;`;
}

/** Sessions of processes of the attack. */
const sessions = `select application_name,
    case when state like 'idle in transaction%' then extract(epoch from clock_timestamp() - state_change) * 1000 end
  from pg_stat_activity where application_name like '${sessionPrefix}%'`;

export async function examinePostgres({ url, schema }: PostgresPlace): Promise<Examiner> {
  const pool = new Pool({ connectionString: url, max: 1, options: `-c search_path=${schema}` });
  // The server may be killed while this connection is idle or disconnects.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => client.on("error", () => undefined));
  const rows = async (text: string) => (await pool.query<unknown[]>({ text, rowMode: "array" })).rows;
  return {
    count: async (sql) => Number((await rows(sql))[0]?.[0] ?? 0),
    rows,
    say: async (kind, ids) => {
      await pool.query("insert into fault_said (id, kind) select unnest($1::uuid[]), $2", [ids, kind]);
    },
    recordReports: async (reports) => {
      await pool.query(
        "insert into fault_reported select * from json_to_recordset($1) as t(id uuid, kind text, times integer, calm_times integer)",
        [JSON.stringify(reports.map(({ calmTimes, ...report }) => ({ ...report, calm_times: calmTimes })))],
      );
    },
    sessions: async () =>
      (await rows(sessions)).map(([owner, idle]) => ({
        owner: String(owner),
        idleInTransactionMs: idle === null ? undefined : Number(idle),
      })),
    close: () => pool.end(),
  };
}
