import { stateConformance } from "@chainwright/conformance";
import Database from "better-sqlite3";
import { expect, it } from "vitest";
import { betterSqlite3 } from "../src/drivers/better-sqlite3.ts";
import type { SqliteDriver } from "../src/index.ts";
import { betterSqlite3Library, openState } from "./backends.ts";

const waitMs = 2_500;

/** Calls again while the file is locked, as a library does that has a wait of its own beside `pragma busy_timeout`. */
function insist<T>(call: () => T): T {
  for (const until = performance.now() + waitMs; ;) {
    try {
      return call();
    } catch (error) {
      const isLocked = error instanceof Database.SqliteError && error.code.startsWith("SQLITE_BUSY");
      if (!isLocked || performance.now() > until) throw error;
    }
  }
}

function waitingDriver(path: string): SqliteDriver<Database.Database> {
  const { open, ...driver } = betterSqlite3(path);
  return {
    ...driver,
    open: () => {
      const connection = open();
      return {
        handle: connection.handle,
        get inTransaction() {
          return connection.inTransaction;
        },
        exec: (sql) => insist(() => connection.exec(sql)),
        prepare: (sql) => {
          const statement = connection.prepare(sql);
          return {
            run: (...parameters) => insist(() => statement.run(...parameters)),
            get: (...parameters) => statement.get(...parameters),
            all: (...parameters) => statement.all(...parameters),
          };
        },
        close: () => connection.close(),
      };
    },
  };
}

it("the conformance suite fails for a driver that waits when the file is locked", async () => {
  const createAdapter = () => openState({ ...betterSqlite3Library, driver: waitingDriver });
  const cases = stateConformance({ createAdapter, areas: ["transactions"] });
  const found = cases.find(({ name }) => name.includes("does not stop the process"));
  await expect(found?.run()).rejects.toThrow(
    /timers run while the call waits\n {2}actual: {3}"no timer ran for \d{4} ms"/,
  );
});
