import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import Database from "better-sqlite3";
import { stateConformance } from "chainwright/conformance";
import type { StateBackend } from "chainwright/conformance";
import { describe, test } from "vitest";
import { betterSqlite3 } from "../src/drivers/better-sqlite3.ts";
import { nodeSqlite } from "../src/drivers/node-sqlite.ts";
import { createSqliteStateAdapter } from "../src/index.ts";
import type { SqliteDriver } from "../src/index.ts";

/** What both libraries have of a handle that the user table needs. */
interface Handle {
  prepare(sql: string): { run(...values: string[]): unknown; all(...values: string[]): unknown[] };
}

interface Library<Tx extends Handle> {
  readonly driver: (path: string) => SqliteDriver<Tx>;
  readonly open: (path: string) => Handle & { close(): void };
}

/** A file of its own for every case, with a table of the user's in it. */
async function openBackend<Tx extends Handle>(library: Library<Tx>): Promise<StateBackend<Tx>> {
  const folder = mkdtempSync(join(tmpdir(), "chainwright-sqlite-"));
  const path = join(folder, "jobs.db");
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
    close: async () => {
      own.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function runCases<Tx extends Handle>(library: Library<Tx>): void {
  const cases = stateConformance<Tx>({
    createAdapter: async () => {
      const backend = await openBackend(library);
      await backend.adapter.migrate();
      return backend;
    },
    createUnmigrated: () => openBackend(library),
  });
  for (const { name, skipped, run } of cases) test.skipIf(skipped !== undefined)(name, run);
}

describe("better-sqlite3", () => {
  runCases({ driver: (path) => betterSqlite3(path), open: (path) => new Database(path) });
});

describe("node:sqlite", () => {
  runCases({ driver: (path) => nodeSqlite(path), open: (path) => new DatabaseSync(path) });
});
