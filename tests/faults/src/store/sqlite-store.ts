import { createSqliteNotifyAdapter, createSqliteStateAdapter } from "@chainwright/sqlite";
import type { SqliteDriver } from "@chainwright/sqlite";
import { betterSqlite3 } from "@chainwright/sqlite/better-sqlite3";
import { nodeSqlite } from "@chainwright/sqlite/node-sqlite";
import Database from "better-sqlite3";
import type { StateAdapter } from "chainwright";
import type { Examiner, FaultTx, OpenStore, StorePlace } from "./open-store.ts";

export type SqlitePlace = StorePlace & { readonly kind: "sqlite" };

/** What the handles of both libraries have in common. */
export interface Handle {
  prepare(sql: string): {
    run(...values: (string | number | null)[]): { changes: number | bigint };
    get(...values: string[]): unknown;
  };
}

export function openDriver(path: string, library: SqlitePlace["library"]): SqliteDriver<Handle> {
  return (library === "node:sqlite" ? nodeSqlite(path) : betterSqlite3(path)) as SqliteDriver<Handle>;
}

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
  const state = createSqliteStateAdapter({ driver, durability });
  const handleOf = (tx: FaultTx) => tx as unknown as Handle;
  return {
    stateAdapter: state as unknown as StateAdapter<FaultTx>,
    notifyAdapter: undefined,
    record: async (tx, { jobId, chainId, attempt, kind, spawned = null }) => {
      const sql = "insert into fault_effect (job_id, chain_id, attempt, kind, spawned) values (?, ?, ?, ?, ?)";
      handleOf(tx).prepare(sql).run(jobId, chainId, attempt, kind, spawned);
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
    close: () => state.close(),
  };
}

/** Migrates, and adds what the oracle looks at. */
export async function prepareSqlite({ path, library }: SqlitePlace): Promise<void> {
  const { stateAdapter, close } = sqliteStoreOf(openDriver(path, library));
  await stateAdapter.migrate();
  await close();
  const database = new Database(path);
  database.exec(oracleTables);
  database.close();
}

const oracleTables = `
  create table fault_effect (job_id text, chain_id text, attempt integer, kind text, spawned text);
  create index fault_effect_chain on fault_effect (chain_id);
  create index fault_effect_job on fault_effect (job_id);
  create table fault_key (key text primary key) without rowid;
  create table fault_said (id text, kind text);
  create table fault_change (job_id text, before text, after text, chain_before text, chain_after text);
  create trigger fault_changed after update on chainwright_job
    when old.status is not new.status or old.chain_status is not new.chain_status
  begin
    insert into fault_change values (new.id, old.status, new.status, old.chain_status, new.chain_status);
  end;
  create view fault_job as
    select j.id, coalesce(c.id, j.id) as chain_id, j.step, j.type, j.status, j.chain_status, j.attempt, j.dedup_key as key,
      case j.type when 'loop' then json_extract(j.input, '$.rounds') end as rounds
    from chainwright_job j left join chainwright_job c on c.seq = j.chain;`;

export function examineSqlite({ path }: SqlitePlace): Examiner {
  const database = new Database(path, { timeout: 10_000 });
  const all = (sql: string) => database.prepare(sql).raw(true).all() as unknown[][];
  return {
    count: async (sql) => Number(all(sql)[0]?.[0] ?? 0),
    rows: async (sql) => all(sql),
    say: async (kind, chainIds) => {
      const insert = database.prepare("insert into fault_said (id, kind) values (?, ?)");
      database.transaction(() => {
        for (const id of chainIds) insert.run(id, kind);
      })();
    },
    close: async () => void database.close(),
  };
}
