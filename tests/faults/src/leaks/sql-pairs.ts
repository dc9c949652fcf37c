import { createPostgresNotifyAdapter, createPostgresStateAdapter } from "@chainwright/postgres";
import { pg } from "@chainwright/postgres/pg";
import { postgresJs } from "@chainwright/postgres/postgres-js";
import { createSqliteNotifyAdapter } from "@chainwright/sqlite";
import Database from "better-sqlite3";
import { createInProcessNotifyAdapter } from "chainwright";
import { Pool } from "pg";
import postgres from "postgres";
import { openDriver } from "../store/sqlite-handle.ts";
import type { Pair } from "./pair.ts";
import { openRelay } from "./relay.ts";
import { openInProcess, openSqlite } from "./state-adapters.ts";

export async function openInProcessPair(): Promise<Pair> {
  const { stateAdapter, close } = await openInProcess();
  const notifyAdapter = createInProcessNotifyAdapter();
  return {
    stateAdapter,
    notifyAdapter,
    cut: undefined,
    emitters: [],
    close: async () => {
      await notifyAdapter.close();
      await close();
    },
  };
}

export async function openSqlitePair(path: string): Promise<Pair> {
  const { stateAdapter, close } = await openSqlite(path, "better-sqlite3");
  const driver = openDriver(`${path}-hints`, "better-sqlite3");
  const notifyAdapter = createSqliteNotifyAdapter({ driver, pollIntervalMs: 2 });
  const own = new Database(`${path}-hints`, { timeout: 5_000 });
  return {
    stateAdapter,
    notifyAdapter,
    // As after many hints: the oldest are deleted, even if a listener has not read them.
    cut: () => {
      const last = own.prepare<[], { seq: number }>("select max(seq) as seq from chainwright_hint").get();
      own.exec("delete from chainwright_hint");
      own.prepare("insert into chainwright_hint (seq, message) values (?, '')").run((last?.seq ?? 0) + 2);
    },
    emitters: [],
    close: async () => {
      await notifyAdapter.close();
      await close();
      own.close();
    },
  };
}

export async function openPgPair(target: string, schema: string): Promise<Pair> {
  const relay = await openRelay(target);
  const pool = new Pool({ connectionString: relay.url, max: 5 });
  const driver = pg(pool);
  const stateAdapter = createPostgresStateAdapter({ driver, schema });
  await stateAdapter.migrate();
  const notifyAdapter = createPostgresNotifyAdapter({ driver, channelPrefix: schema });
  return {
    stateAdapter,
    notifyAdapter,
    cut: relay.cut,
    emitters: [pool],
    close: async () => {
      await notifyAdapter.close();
      await stateAdapter.close();
      await pool.query(`drop schema ${schema} cascade`);
      await pool.end();
      await relay.close();
    },
  };
}

export async function openPostgresJsPair(target: string, schema: string): Promise<Pair> {
  const relay = await openRelay(target);
  const sql = postgres(relay.url, { max: 5, onnotice: () => undefined, backoff: () => 0.02 });
  const driver = postgresJs(sql);
  const stateAdapter = createPostgresStateAdapter({ driver, schema });
  await stateAdapter.migrate();
  const notifyAdapter = createPostgresNotifyAdapter({ driver, channelPrefix: schema });
  return {
    stateAdapter,
    notifyAdapter,
    cut: relay.cut,
    emitters: [],
    close: async () => {
      await notifyAdapter.close();
      await stateAdapter.close();
      await sql.unsafe(`drop schema ${schema} cascade`);
      // Without a limit it may wait forever for connections that broke.
      await sql.end({ timeout: 1 });
      await relay.close();
    },
  };
}
