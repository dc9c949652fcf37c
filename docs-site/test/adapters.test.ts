import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { testCases } from "@chainwright/backends/vitest";
import { stateConformance } from "@chainwright/conformance";
import type { PostgresDriver } from "@chainwright/postgres";
import { createSqliteStateAdapter, type SqliteDriver } from "@chainwright/sqlite";
import { nodeSqlite } from "@chainwright/sqlite/node-sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fencesOf } from "../../tooling/fences.ts";
import { root } from "../samples/root.ts";

const page = "docs-site/guides/adapters.md";
// A folder below docs-site, so that the imports of the samples are resolved.
const folder = join(root, "docs-site/generated/adapters");
mkdirSync(folder, { recursive: true });

/** Imports the sample of the page that contains a text. */
async function sampleWith(text: string, name: string): Promise<unknown> {
  const found = fencesOf(readFileSync(join(root, page), "utf8")).find(({ code }) => code.includes(text));
  if (found === undefined) throw new Error(`${page} must have a sample with ${text}`);
  const file = join(folder, `${name}.ts`);
  writeFileSync(file, found.code);
  return import(file);
}

interface Samples {
  readonly libsql: (path: string) => SqliteDriver<object>;
  readonly myDriver: (database: object) => PostgresDriver<object>;
}

const { libsql } = (await sampleWith('from "libsql"', "libsql")) as Samples;
const { myDriver } = (await sampleWith("function myDriver", "postgres")) as Samples;

describe("state port, with the driver for libsql that the guide shows", () => {
  const template = join(mkdtempSync(join(tmpdir(), "chainwright-libsql-")), "jobs.db");
  // Cases take copies of one migrated file, because a migration takes longer than most cases.
  beforeAll(async () => {
    await using adapter = createSqliteStateAdapter({ driver: nodeSqlite(template) });
    await adapter.migrate();
  });
  afterAll(() => rmSync(dirname(template), { recursive: true }));

  const open = async (prepare: (path: string) => void) => {
    const place = mkdtempSync(join(tmpdir(), "chainwright-libsql-"));
    const path = join(place, "jobs.db");
    prepare(path);
    const connect = async () => createSqliteStateAdapter({ driver: libsql(path), durability: "off" });
    return { adapter: await connect(), connect, close: async () => rmSync(place, { recursive: true }) };
  };
  const createUnmigrated = () => open(() => undefined);
  const createAdapter = () =>
    open((path) => {
      copyFileSync(template, path);
      const database = new DatabaseSync(path);
      database.exec("pragma synchronous = off");
      database.exec("update chainwright_meta set value = lower(hex(randomblob(16))) where key = 'store_id'");
      database.close();
    });
  const without = {
    userTable: "the driver is the same as for other tables",
    rowLocks: "SQLite has one writer and locks no rows",
    faults: "faults are in the tables, and not in the driver",
  };
  testCases(stateConformance({ createAdapter, createUnmigrated, without }));
});

it("the guide lists the areas of the state port in their order", () => {
  const unopened = () => Promise.reject(new Error("not opened"));
  const areas = [...new Set(stateConformance({ createAdapter: unopened }).map(({ area }) => area))];
  const text = readFileSync(join(root, page), "utf8");
  const rows = [...text.matchAll(/^\| `([a-z, ]+)` +\|/gm)].map(([, area]) => area);
  expect(rows).toEqual(areas);
});

describe("the Postgres driver that the guide shows", () => {
  /** A database whose connection fails at one statement, and at the rollback if that is asked for. */
  function failingAt(statement: string, options: { readonly rollbackFails: boolean }) {
    const log: string[] = [];
    const connection = {
      run: async (text: string) => {
        log.push(text);
        if (text === statement) throw new Error("the first error");
        if (text === "rollback" && options.rollbackFails) throw new Error("the second error");
        return { rows: [] };
      },
      destroy: () => void log.push("destroyed"),
    };
    const use = async (work: (given: typeof connection) => Promise<unknown>) => {
      try {
        return await work(connection);
      } finally {
        log.push("returned");
      }
    };
    return { log, driver: myDriver({ use, close: async () => {} }) };
  }

  it("rolls back and throws the error of the work", async () => {
    const { log, driver } = failingAt("none", { rollbackFails: false });
    await expect(driver.transaction(() => Promise.reject(new Error("of the work")))).rejects.toThrow("of the work");
    expect(log).toEqual(["begin isolation level read committed", "rollback", "returned"]);
  });

  it.each(["commit", "begin isolation level read committed"])(
    "throws the first error and destroys the connection when %s and the rollback fail",
    async (statement) => {
      const { log, driver } = failingAt(statement, { rollbackFails: true });
      await expect(driver.transaction(async () => 1)).rejects.toThrow("the first error");
      expect(log.slice(-3)).toEqual(["rollback", "destroyed", "returned"]);
    },
  );
});
