import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it, onTestFinished } from "vitest";
import { betterSqlite3 } from "../src/drivers/better-sqlite3.ts";
import { createSqliteStateAdapter } from "../src/index.ts";
import { areThere, databasePath, jobStart, listening, migratedStore, openStore } from "./store.ts";
import type { Handle } from "./store.ts";

/** A database that the application opened, with the settings it chose. */
function applicationHandle(path: string, ...pragmas: readonly string[]): Handle {
  const database = new Database(path);
  for (const pragma of pragmas) database.pragma(pragma);
  onTestFinished(() => void database.close());
  return database;
}

describe("durability", () => {
  it.each([
    [undefined, 2],
    ["full", 2],
    ["normal", 1],
    ["off", 0],
  ] as const)("%s is WAL with synchronous = %i", (durability, synchronous) => {
    let handle: Handle | undefined;
    const driver = listening(databasePath(), (_, writer) => {
      handle = writer;
    });
    const store = createSqliteStateAdapter({ driver, durability });
    onTestFinished(() => store.close());
    expect(handle?.pragma("journal_mode", { simple: true })).toBe("wal");
    expect(handle?.pragma("synchronous", { simple: true })).toBe(synchronous);
  });

  it.each([
    ["full", "journal_mode = wal", "synchronous = normal"],
    ["normal", "journal_mode = wal", "synchronous = off"],
    ["normal", "journal_mode = delete", "synchronous = normal"],
    ["normal", "journal_mode = memory", "synchronous = full"],
  ] as const)(
    "%s is refused on a handle with %s and %s, and the message says what to run",
    (durability, ...pragmas) => {
      const database = applicationHandle(databasePath(), ...pragmas);
      expect(() => createSqliteStateAdapter({ driver: betterSqlite3(database), durability })).toThrow(
        expect.objectContaining({
          code: "invalid-input",
          message: expect.stringContaining(`pragma synchronous = ${durability}`) as string,
        }),
      );
    },
  );

  it.each([
    ["full", "journal_mode = delete", "synchronous = extra"],
    ["normal", "journal_mode = wal", "synchronous = full"],
    ["off", "journal_mode = memory", "synchronous = off"],
  ] as const)("%s holds on a handle with %s and %s", async (durability, ...pragmas) => {
    const database = applicationHandle(databasePath(), ...pragmas);
    const store = await migratedStore({ driver: betterSqlite3(database), durability });
    const start = jobStart();
    await store.start([{ starts: [start] }], {});
    expect(await areThere(store, [start])).toEqual([true]);
  });
});

it("is closed by await using", async () => {
  const store = createSqliteStateAdapter({ driver: betterSqlite3(databasePath()) });
  await store.migrate();
  await store[Symbol.asyncDispose]();
  await expect(store.migrate()).rejects.toMatchObject({ code: "closed" });
});

describe("a handle that the application opened", () => {
  const settings = ["journal_mode = wal", "synchronous = full"] as const;

  it("stays open, with its settings, when the adapter closes", async () => {
    const database = applicationHandle(databasePath(), ...settings, "busy_timeout = 1234");
    const store = await migratedStore({ driver: betterSqlite3(database) });
    await store.close();
    expect(database.open).toBe(true);
    expect(database.pragma("busy_timeout", { simple: true })).toBe(1234);
  });

  it("is a tx while the application has a transaction open on it", async () => {
    const database = applicationHandle(databasePath(), ...settings);
    const store = await migratedStore({ driver: betterSqlite3(database) });
    const [kept, undone] = [jobStart(), jobStart()];
    database.exec("begin");
    await store.start([{ starts: [kept] }], { tx: database });
    database.exec("commit");
    database.exec("begin");
    await store.start([{ starts: [undone] }], { tx: database });
    database.exec("rollback");
    expect(await areThere(store, [kept, undone])).toEqual([true, false]);
  });

  it("is not a tx without such a transaction, and not inside one that the adapter began", async () => {
    const database = applicationHandle(databasePath(), ...settings);
    const store = await migratedStore({ driver: betterSqlite3(database) });
    const call = () => store.start([{ starts: [jobStart()] }], { tx: database });
    await expect(call()).rejects.toMatchObject({ code: "invalid-input" });
    await store.transaction(async () => {
      await expect(call()).rejects.toMatchObject({ code: "invalid-input" });
    });
  });

  it("is waited for while the application has a transaction open on it", async () => {
    const database = applicationHandle(databasePath(), ...settings);
    const store = await migratedStore({ driver: betterSqlite3(database) });
    const start = jobStart();
    database.exec("begin");
    const waiting = store.start([{ starts: [start] }], {});
    const read = store.getChains([start.id], {});
    await store.start([{ starts: [jobStart()] }], { tx: database });
    database.exec("rollback");
    await waiting;
    await read;
    expect(await areThere(store, [start])).toEqual([true]);
  });
});

describe("in memory", () => {
  it("reads with its only connection, and never returns uncommitted rows", async () => {
    const store = await migratedStore({ path: ":memory:", durability: "full" });
    const start = jobStart();
    const writing = store.transaction(async (tx) => void (await store.start([{ starts: [start] }], { tx })));
    const read = areThere(store, [start]);
    await writing;
    expect(await read).toEqual([true]);
  });
});

describe("bad input", () => {
  it.each(["", "1a", "a-b", "a b", 'a"', "sqlite_x", "a".repeat(64), "ä"])(
    "refuses the table prefix %j",
    (tablePrefix) => {
      expect(() => openStore({ tablePrefix })).toThrow(expect.objectContaining({ code: "invalid-input" }));
    },
  );

  it("keeps stores of different prefixes apart in one file", async () => {
    const path = databasePath();
    const [one, two] = [await migratedStore({ path }), await migratedStore({ path, tablePrefix: "x" })];
    const start = jobStart();
    await one.start([{ starts: [start] }], {});
    expect([await areThere(one, [start]), await areThere(two, [start])]).toEqual([[true], [false]]);
  });

  it("refuses unknown options and invalid values", () => {
    const driver = betterSqlite3(":memory:");
    for (const options of [
      { durabilty: "full" },
      { durability: "fully" },
      { busyTimeoutMs: Number.NaN },
      { transactionTimeoutMs: -1 },
    ]) {
      expect(() => createSqliteStateAdapter({ driver, ...options } as never)).toThrow(
        expect.objectContaining({ code: "invalid-input" }),
      );
    }
  });
});

describe("a file that cannot be opened", () => {
  it("is store-unavailable when its folder is missing, or it is a folder", () => {
    const path = databasePath();
    mkdirSync(path);
    for (const wrong of [join(dirname(path), "missing", "jobs.db"), path]) {
      expect(() => openStore({ path: wrong })).toThrow(expect.objectContaining({ code: "store-unavailable" }));
    }
  });

  it("is store-corrupt when it is not a database", () => {
    const path = databasePath();
    writeFileSync(path, "This is a text about jobs. ".repeat(100));
    expect(() => openStore({ path })).toThrow(expect.objectContaining({ code: "store-corrupt" }));
  });
});
