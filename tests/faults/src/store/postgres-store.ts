import { createPostgresNotifyAdapter, createPostgresStateAdapter } from "@chainwright/postgres";
import type { PostgresDriver } from "@chainwright/postgres";
import type { FaultTx, OpenStore } from "./open-store.ts";
import { connectToPostgres } from "./postgres-client.ts";
import type { PostgresPlace } from "./postgres-client.ts";
import { oracleTables } from "./postgres-oracle.ts";
import { transactionTimeoutMs } from "./transaction-timeout.ts";
import { withPostgres } from "./with-postgres.ts";

export function openPostgresStore(place: PostgresPlace): OpenStore {
  const { url, listenUrl = url, schema } = place;
  const client = connectToPostgres(place);
  const listening = listenUrl === url ? client : connectToPostgres({ ...place, url: listenUrl, poolSize: 1 });
  const store = postgresStoreOf(client.driver, schema);
  return {
    ...store,
    begin: client.begin,
    taken: client.taken,
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
  const state = createPostgresStateAdapter({ driver, schema, transactionTimeoutMs });
  // As an application's own statements, over the same handle.
  const query = (tx: FaultTx, text: string, parameters: readonly (string | null)[]) =>
    driver.query({ text, parameters, prepare: false }, tx);
  return {
    stateAdapter: state,
    notifyAdapter: undefined,
    record: async (tx, { jobId, chainId, attempt, kind, spawned = null, name = null, value = null }) => {
      const sql = `insert into ${schema}.fault_effect (job_id, chain_id, attempt, kind, spawned, name, value)
        values ($1, $2, $3, $4, $5, $6, $7)`;
      await query(tx, sql, [jobId, chainId, String(attempt), kind, spawned, name, value]);
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
    isOpen: async (tx, jobId) => {
      const sql = `select 1 from ${schema}.fault_job where id = $1::uuid and status = 'open'`;
      return (await query(tx, sql, [jobId])).length === 1;
    },
    begin: undefined,
    taken: () => undefined,
    close: () => state.close(),
  };
}

/** Migrates, and adds what the oracle queries. */
export async function preparePostgres(place: PostgresPlace): Promise<void> {
  const { stateAdapter, close } = openPostgresStore(place);
  await stateAdapter.migrate();
  await close();
  await withPostgres(place.url, (client) => client.query(oracleTables(place.schema)));
}
