import { DatabaseSync } from "node:sqlite";
import Database from "better-sqlite3";
import type { NotifyBackend, StateBackend } from "@chainwright/conformance";
import { betterSqlite3 } from "../src/drivers/better-sqlite3.ts";
import { nodeSqlite } from "../src/drivers/node-sqlite.ts";
import { createSqliteNotifyAdapter, createSqliteStateAdapter } from "../src/index.ts";
import type { SqliteDriver } from "../src/index.ts";
import { plantingIn } from "./planting.ts";
import { databasePath } from "./store.ts";

/** What both libraries have of a handle that the user table needs. */
export interface Handle {
  prepare(sql: string): { run(...values: string[]): unknown; all(...values: string[]): unknown[] };
}

export interface Library<Tx extends Handle> {
  readonly driver: (path: string) => SqliteDriver<Tx>;
  readonly open: (path: string) => Handle & { close(): void };
}

export const betterSqlite3Library: Library<Database.Database> = {
  driver: (path) => betterSqlite3(path),
  open: (path) => new Database(path),
};

export const nodeSqliteLibrary: Library<DatabaseSync> = {
  driver: (path) => nodeSqlite(path),
  open: (path) => new DatabaseSync(path),
};

/** A file of its own for every case, with a table of the user's in it. */
export async function openUnmigrated<Tx extends Handle>(
  library: Library<Tx>,
  path = databasePath(),
): Promise<StateBackend<Tx>> {
  // Power is not lost here: nothing is gained by waiting for the disk.
  const create = () => createSqliteStateAdapter({ driver: library.driver(path), durability: "off" });
  const adapter = create();
  const own = library.open(path);
  own.prepare("create table effect (key text not null, value text not null)").run();
  return {
    adapter,
    connect: () => Promise.resolve(create()),
    userTable: {
      write: async (tx, key, value) => void tx.prepare("insert into effect (key, value) values (?, ?)").run(key, value),
      read: async (key) =>
        (own.prepare("select value from effect where key = ?").all(key) as { value: string }[]).map((row) => row.value),
    },
    planting: plantingIn(own),
    close: async () => own.close(),
  };
}

export async function openState<Tx extends Handle>(
  library: Library<Tx>,
  path = databasePath(),
): Promise<StateBackend<Tx>> {
  const backend = await openUnmigrated(library, path);
  await backend.adapter.migrate();
  return backend;
}

export async function openNotify<Tx extends Handle>(library: Library<Tx>): Promise<NotifyBackend> {
  const path = databasePath();
  const connect = async (tablePrefix?: string) =>
    createSqliteNotifyAdapter({ driver: library.driver(path), tablePrefix, pollIntervalMs: 2 });
  const own = new Database(path);
  return {
    adapter: await connect(),
    connect: () => connect(),
    elsewhere: () => connect("elsewhere_"),
    say: async (text) => void own.prepare("insert into chainwright_hint (message) values (?)").run(text),
    breakLinks: async () => {
      // Listeners find that what they have not read is gone.
      const last = own.prepare<[], { seq: number }>("select max(seq) as seq from chainwright_hint").get();
      own.prepare("insert into chainwright_hint (seq, message) values (?, '')").run((last?.seq ?? 0) + 2);
    },
    close: async () => void own.close(),
  };
}
