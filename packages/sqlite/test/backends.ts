import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import Database from "better-sqlite3";
import type { NotifyBackend, StateBackend } from "@chainwright/conformance";
import { betterSqlite3 } from "../src/drivers/better-sqlite3.ts";
import { nodeSqlite } from "../src/drivers/node-sqlite.ts";
import { createSqliteNotifyAdapter, createSqliteStateAdapter } from "../src/index.ts";
import type { SqliteDriver } from "../src/index.ts";
import { migrateToNext } from "./next-release.ts";
import { plantingIn } from "./planting.ts";
import { databasePath } from "./store.ts";

/** What both libraries have of a handle that the user table needs. */
export interface Handle {
  prepare(sql: string): { run(...values: string[]): unknown; all(...values: string[]): unknown[] };
}

export interface Library<Tx extends object> {
  readonly driver: (path: string) => SqliteDriver<Tx>;
  /** Runs a statement of the user inside a transaction. */
  readonly run: (tx: Tx, sql: string, values: readonly string[]) => unknown;
  /** A connection outside of the library. */
  readonly open: (path: string) => Handle & { close(): void };
}

export const betterSqlite3Library: Library<Database.Database> = {
  driver: (path) => betterSqlite3(path),
  run: (tx, sql, values) => tx.prepare(sql).run(...values),
  open: (path) => new Database(path),
};

export const nodeSqliteLibrary: Library<DatabaseSync> = {
  driver: (path) => nodeSqlite(path),
  run: (tx, sql, values) => tx.prepare(sql).run(...values),
  open: (path) => new DatabaseSync(path),
};

/** What SQLite cannot do, and why. */
export const without = {
  rowLocks: "SQLite has one writer and locks no rows",
};

/** A file of its own for every case, with a table of the user's in it. */
export async function openUnmigrated<Tx extends object>(
  library: Library<Tx>,
  path = databasePath(),
): Promise<StateBackend<Tx>> {
  const own = library.open(path);
  own.prepare("pragma synchronous = off").run();
  own.prepare("create table effect (key text not null, value text not null)").run();
  return backendOn(library, path, own);
}

/** The same, migrated: a copy of one file that is made once, because a migration takes longer than most cases. */
export async function openState<Tx extends object>(
  library: Library<Tx>,
  path = databasePath(),
): Promise<StateBackend<Tx>> {
  templates.migrated ??= makeTemplate("migrated.db", migrateFile);
  return openCopy(library, await templates.migrated, path);
}

/** The same, migrated once more by the next release. */
export async function openNextState<Tx extends object>(library: Library<Tx>): Promise<StateBackend<Tx>> {
  templates.next ??= makeTemplate("next.db", async (made) => {
    await migrateFile(made);
    migrateToNext(made);
  });
  return openCopy(library, await templates.next, databasePath());
}

function openCopy<Tx extends object>(library: Library<Tx>, made: string, path: string): StateBackend<Tx> {
  copyFileSync(made, path);
  const own = library.open(path);
  own.prepare("pragma synchronous = off").run();
  own.prepare("update chainwright_meta set value = lower(hex(randomblob(16))) where key = 'store_id'").run();
  return backendOn(library, path, own);
}

/** Files that cases take copies of: SQLite waits for the disk several times to create a file, and never to open one. */
const templates: { migrated?: Promise<string>; next?: Promise<string>; hints?: Promise<string> } = {};

async function makeTemplate(name: string, make: (path: string) => Promise<void>): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "chainwright-sqlite-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  await make(join(folder, name));
  return join(folder, name);
}

/** libsql does not move what is in the write-ahead log into the file when it closes, so a copy of the file would be empty. */
async function migrateFile(path: string): Promise<void> {
  const { adapter, close } = await openUnmigrated(betterSqlite3Library, path);
  await adapter.migrate();
  await adapter.close();
  await close();
}

function backendOn<Tx extends object>(
  library: Library<Tx>,
  path: string,
  own: Handle & { close(): void },
): StateBackend<Tx> {
  // The power does not fail in these cases, so waiting for the disk would prove nothing.
  const create = () => createSqliteStateAdapter({ driver: library.driver(path), durability: "off" });
  return {
    adapter: create(),
    connect: () => Promise.resolve(create()),
    userTable: {
      write: async (tx, key, value) =>
        void (await library.run(tx, "insert into effect (key, value) values (?, ?)", [key, value])),
      read: async (key) =>
        (own.prepare("select value from effect where key = ?").all(key) as { value: string }[]).map((row) => row.value),
    },
    planting: plantingIn(own),
    close: async () => own.close(),
  };
}

export async function openNotify<Tx extends object>(library: Library<Tx>): Promise<NotifyBackend> {
  const path = databasePath();
  const open = (at: string, tablePrefix?: string) =>
    createSqliteNotifyAdapter({ driver: library.driver(at), tablePrefix, pollIntervalMs: 2 });
  const made = templates.hints ?? makeTemplate("hints.db", (at) => open(at).close());
  templates.hints = made;
  copyFileSync(await made, path);
  const own = new Database(path);
  own.pragma("synchronous = off");
  return {
    adapter: open(path),
    connect: async () => open(path),
    elsewhere: async () => open(path, "elsewhere_"),
    say: async (text) => void own.prepare("insert into chainwright_hint (message) values (?)").run(text),
    breakLinks: async () => {
      // Listeners find that what they have not read is gone.
      const last = own.prepare<[], { seq: number }>("select max(seq) as seq from chainwright_hint").get();
      own.prepare("insert into chainwright_hint (seq, message) values (?, '')").run((last?.seq ?? 0) + 2);
    },
    close: async () => void own.close(),
  };
}
