import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { betterSqlite3 } from "../src/drivers/better-sqlite3.ts";
import { openHintTable } from "../src/hint-table.ts";
import { createSqliteNotifyAdapter } from "../src/index.ts";
import { databasePath } from "./store.ts";

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

test("refuses an invalid poll interval, and a prefix that is not an identifier", () => {
  const driver = betterSqlite3(":memory:");
  for (const options of [{ pollIntervalMs: 0 }, { pollIntervalMs: Number.NaN }, { tablePrefix: "a;" }]) {
    expect(() => createSqliteNotifyAdapter({ driver, ...options })).toThrow(
      expect.objectContaining({ code: "invalid-input" }),
    );
  }
});
