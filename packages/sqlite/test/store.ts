import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type Database from "better-sqlite3";
import type { StateAdapter } from "chainwright";
import type { JobStart } from "chainwright/adapter";
import { onTestFinished } from "vitest";
import { betterSqlite3 } from "../src/drivers/better-sqlite3.ts";
import { createSqliteStateAdapter } from "../src/index.ts";
import type { SqliteDriver, SqliteStateAdapterOptions } from "../src/index.ts";

export type Handle = Database.Database;

/** The path of a database in a folder that goes with the test. */
export function databasePath(): string {
  const folder = mkdtempSync(join(tmpdir(), "chainwright-sqlite-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "jobs.db");
}

type Options = Partial<SqliteStateAdapterOptions<Handle>> & { readonly path?: string };

/** An adapter on a file, closed with the test. */
export function openStore({ path = databasePath(), ...options }: Options = {}): StateAdapter<Handle> {
  const adapter = createSqliteStateAdapter({ driver: betterSqlite3(path), durability: "off", ...options });
  onTestFinished(() => adapter.close());
  return adapter;
}

export async function migratedStore(options: Options = {}): Promise<StateAdapter<Handle>> {
  const adapter = openStore(options);
  await adapter.migrate();
  return adapter;
}

/** A driver that passes each statement of the writer to a listener before it runs; the listener may throw instead. */
export function listening(path: string, listener: (sql: string, handle: Handle) => void): SqliteDriver<Handle> {
  const driver = betterSqlite3(path);
  return {
    ...driver,
    open: () => {
      const database = driver.open();
      return {
        handle: database.handle,
        get inTransaction() {
          return database.inTransaction;
        },
        exec: database.exec,
        close: database.close,
        prepare: (sql) => {
          const statement = database.prepare(sql);
          return {
            run: (...parameters) => {
              listener(sql, database.handle);
              return statement.run(...parameters);
            },
            get: (...parameters) => {
              listener(sql, database.handle);
              return statement.get(...parameters);
            },
            all: (...parameters) => {
              listener(sql, database.handle);
              return statement.all(...parameters);
            },
          };
        },
      };
    },
  };
}

export function jobStart(details: Partial<JobStart> = {}): JobStart {
  return {
    id: randomUUID(),
    typeName: "a",
    input: "1",
    priority: 0,
    schedule: undefined,
    blockers: [],
    onBlockerFailure: "fail",
    deduplication: undefined,
    context: undefined,
    ...details,
  };
}

/** Whether each of these chains is there. */
export async function areThere(
  adapter: StateAdapter<Handle>,
  starts: readonly JobStart[],
): Promise<readonly boolean[]> {
  const chains = await adapter.getChains(
    starts.map((start) => start.id),
    {},
  );
  return chains.map((chain) => chain !== undefined);
}

/** Something to be awaited that the test opens. */
export function gate() {
  return Promise.withResolvers<void>();
}
