import { createSqliteNotifyAdapter, createSqliteStateAdapter } from "@chainwright/sqlite";
import type { SqliteDriver } from "@chainwright/sqlite";
import type { StateAdapter } from "chainwright";
import type { FaultTx, OpenStore, SqlitePlace } from "./open-store.ts";
import { transactionTimeoutMs } from "./transaction-timeout.ts";
import { openDriver, openHandle } from "./sqlite-handle.ts";
import type { Handle } from "./sqlite-handle.ts";
import { oracleTables } from "./sqlite-oracle.ts";

export function openSqliteStore({ path, library }: SqlitePlace): OpenStore {
  const store = sqliteStoreOf(openDriver(path, library));
  try {
    const notifyAdapter = createSqliteNotifyAdapter({ driver: openDriver(`${path}-hints`, library) });
    return { ...store, notifyAdapter };
  } catch (error) {
    void store.close();
    throw error;
  }
}

/** The store behind a driver, without a notify adapter. */
export function sqliteStoreOf(driver: SqliteDriver<Handle>, durability: "normal" | "off" = "normal"): OpenStore {
  const state = createSqliteStateAdapter({ driver, durability, transactionTimeoutMs });
  const handleOf = (tx: FaultTx) => tx as unknown as Handle;
  return {
    stateAdapter: state as unknown as StateAdapter<FaultTx>,
    notifyAdapter: undefined,
    record: async (tx, { jobId, chainId, attempt, kind, spawned = null, name = null, value = null }) => {
      const sql = `insert into fault_effect (job_id, chain_id, attempt, kind, spawned, name, value)
        values (?, ?, ?, ?, ?, ?, ?)`;
      handleOf(tx).prepare(sql).run(jobId, chainId, attempt, kind, spawned, name, value);
    },
    endedAmong: async (tx, chainIds) => {
      const places = chainIds.map(() => "?").join(", ");
      const sql = `select count(distinct chain_id) as count from fault_effect where kind = 'ended' and chain_id in (${places})`;
      const row = handleOf(tx)
        .prepare(sql)
        .get(...chainIds) as { count: number };
      return row.count;
    },
    claimKey: async (tx, key) => {
      const { changes } = handleOf(tx).prepare("insert or ignore into fault_key (key) values (?)").run(key);
      return Number(changes) === 1;
    },
    freeKey: async (tx, key) => {
      handleOf(tx).prepare("delete from fault_key where key = ?").run(key);
    },
    isOpen: async (tx, jobId) => {
      const sql = "select 1 from fault_job where id = ? and status in ('open', 'blocked')";
      return handleOf(tx).prepare(sql).get(jobId) !== undefined;
    },
    begin: undefined,
    taken: () => undefined,
    close: () => state.close(),
  };
}

/** Migrates, and adds what the oracle queries. */
export async function prepareSqlite({ path, library }: SqlitePlace): Promise<void> {
  const { stateAdapter, close } = sqliteStoreOf(openDriver(path, library));
  await stateAdapter.migrate();
  await close();
  const database = openHandle({ path, library }, 5_000);
  database.exec(oracleTables);
  database.close();
}
