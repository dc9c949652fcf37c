import { createPostgresNotifyAdapter, createPostgresStateAdapter } from "@chainwright/postgres";
import type { PostgresDriver } from "@chainwright/postgres";
import { Pool } from "pg";
import type { Examiner, FaultTx, OpenStore } from "./open-store.ts";
import { connectToPostgres } from "./postgres-client.ts";
import type { PostgresPlace } from "./postgres-client.ts";
import { withPostgres } from "./with-postgres.ts";

export function openPostgresStore(place: PostgresPlace): OpenStore {
  const { url, listenUrl = url, schema } = place;
  const client = connectToPostgres(place);
  const listening = listenUrl === url ? client : connectToPostgres({ ...place, url: listenUrl, poolSize: 1 });
  const store = postgresStoreOf(client.driver, schema);
  return {
    ...store,
    notifyAdapter: createPostgresNotifyAdapter({ driver: listening.driver, channelPrefix: schema }),
    close: async () => {
      await store.close();
      await client.end();
      if (listening !== client) await listening.end();
    },
  };
}

/** The store behind a driver, without a notify adapter. */
export function postgresStoreOf(driver: PostgresDriver<FaultTx>, schema: string): OpenStore {
  const state = createPostgresStateAdapter({ driver, schema });
  // As an application's own statements, over the same handle.
  const query = (tx: FaultTx, text: string, parameters: readonly (string | null)[]) =>
    driver.query({ text, parameters, prepare: false }, tx);
  return {
    stateAdapter: state,
    notifyAdapter: undefined,
    record: async (tx, { jobId, chainId, attempt, kind, spawned = null }) => {
      const sql = `insert into ${schema}.fault_effect (job_id, chain_id, attempt, kind, spawned) values ($1, $2, $3, $4, $5)`;
      await query(tx, sql, [jobId, chainId, String(attempt), kind, spawned]);
    },
    endedAmong: async (tx, chainIds) => {
      const sql = `select count(distinct chain_id) from ${schema}.fault_effect
        where kind = 'ended' and chain_id = any(string_to_array($1, ',')::uuid[])`;
      return Number((await query(tx, sql, [chainIds.join()]))[0]?.[0]);
    },
    claimKey: async (tx, key) => {
      const sql = `insert into ${schema}.fault_key (key) values ($1) on conflict do nothing returning 1`;
      return (await query(tx, sql, [key])).length === 1;
    },
    freeKey: async (tx, key) => {
      await query(tx, `delete from ${schema}.fault_key where key = $1`, [key]);
    },
    close: () => state.close(),
  };
}

/** Migrates, and adds what the oracle looks at. */
export async function preparePostgres(place: PostgresPlace): Promise<void> {
  const { stateAdapter, close } = openPostgresStore(place);
  await stateAdapter.migrate();
  await close();
  await withPostgres(place.url, (client) => client.query(oracleTables(place.schema)));
}

function oracleTables(s: string): string {
  const name = (column: string, open: string) =>
    `case ${column} when 0 then '${open}' when 1 then 'completed' when 2 then 'failed' when 3 then 'cancelled' end`;
  return `
  create table ${s}.fault_effect (job_id uuid, chain_id uuid, attempt integer, kind text, spawned uuid);
  create index on ${s}.fault_effect (chain_id);
  create index on ${s}.fault_effect (job_id);
  create table ${s}.fault_key (key text primary key);
  create table ${s}.fault_said (id uuid, kind text);
  create table ${s}.fault_change (job_id uuid, before text, after text, chain_before text, chain_after text);
  create function ${s}.fault_note() returns trigger language plpgsql as $$
  begin
    insert into ${s}.fault_change values (new.id, ${name("old.status", "open")}, ${name("new.status", "open")},
      ${name("old.chain_status", "active")}, ${name("new.chain_status", "active")});
    return null;
  end $$;
  create trigger fault_changed after update on ${s}.job for each row
    when (old.status is distinct from new.status or old.chain_status is distinct from new.chain_status)
    execute function ${s}.fault_note();
  create view ${s}.fault_job as
    select id, chain_id, step, type_name as type, ${name("status", "open")} as status,
      ${name("chain_status", "active")} as chain_status, attempt, key,
      case type_name when 'loop' then (input::json->>'rounds')::integer end as rounds
    from ${s}.job;`;
}

export async function examinePostgres({ url, schema }: PostgresPlace): Promise<Examiner> {
  const pool = new Pool({ connectionString: url, max: 1, options: `-c search_path=${schema}` });
  // The server may be killed while this connection is idle, or while it hangs up.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => client.on("error", () => undefined));
  const rows = async (text: string) => (await pool.query<unknown[]>({ text, rowMode: "array" })).rows;
  return {
    count: async (sql) => Number((await rows(sql))[0]?.[0] ?? 0),
    rows,
    say: async (kind, chainIds) => {
      await pool.query("insert into fault_said (id, kind) select unnest($1::uuid[]), $2", [chainIds, kind]);
    },
    close: () => pool.end(),
  };
}
