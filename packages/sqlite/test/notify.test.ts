import Database from "better-sqlite3";
import { notifyConformance } from "chainwright/conformance";
import type { NotifyBackend } from "chainwright/conformance";
import { describe, expect, test } from "vitest";
import { betterSqlite3 } from "../src/drivers/better-sqlite3.ts";
import { nodeSqlite } from "../src/drivers/node-sqlite.ts";
import { openHintTable } from "../src/hint-table.ts";
import { createSqliteNotifyAdapter } from "../src/index.ts";
import type { SqliteNotifyAdapterOptions } from "../src/index.ts";
import { databasePath } from "./store.ts";

type Open = (path: string) => SqliteNotifyAdapterOptions<object>["driver"];

async function openBackend(open: Open): Promise<NotifyBackend> {
  const path = databasePath();
  const connect = async (tablePrefix?: string) =>
    createSqliteNotifyAdapter({ driver: open(path), tablePrefix, pollIntervalMs: 2 });
  const own = new Database(path);
  return {
    adapter: await connect(),
    connect: () => connect(),
    elsewhere: () => connect("elsewhere_"),
    say: async (text) => void own.prepare("insert into chainwright_hint (message) values (?)").run(text),
    breakLinks: async () => {
      // Listeners find that what they have not read is gone.
      const { seq } = own.prepare<[], { seq: number }>("select max(seq) as seq from chainwright_hint").get() ?? {
        seq: 0,
      };
      own.prepare("insert into chainwright_hint (seq, message) values (?, '')").run(seq + 2);
    },
    close: async () => void own.close(),
  };
}

describe.each([
  ["better-sqlite3", (path: string) => betterSqlite3(path)],
  ["node:sqlite", (path: string) => nodeSqlite(path)],
] as const)("notify port, on %s", (_name, open) => {
  const cases = notifyConformance({ createAdapter: () => openBackend(open) });
  for (const { name, skipped, run } of cases) test.skipIf(skipped !== undefined)(name, run);
});

test("the table keeps the last messages only", async () => {
  const path = databasePath();
  const table = openHintTable(betterSqlite3(path), "hint");
  for (let round = 0; round < 3; round += 1) await table.append(Array.from({ length: 2_000 }, () => "x"));
  await table.close();
  const own = new Database(path);
  const counted = own.prepare("select count(*) as count, max(seq) as last from hint").get();
  own.close();
  expect(counted).toEqual({ count: 5_000, last: 6_000 });
});

test("refuses a poll interval that is none, and a prefix that is no identifier", () => {
  const driver = betterSqlite3(":memory:");
  for (const options of [{ pollIntervalMs: 0 }, { pollIntervalMs: Number.NaN }, { tablePrefix: "a;" }]) {
    expect(() => createSqliteNotifyAdapter({ driver, ...options })).toThrow(
      expect.objectContaining({ code: "invalid-input" }),
    );
  }
});
