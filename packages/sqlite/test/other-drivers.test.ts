import { describeOtherDrivers, shareOf, testCases } from "@chainwright/backends/vitest";
import { behaviourConformance, stateConformance } from "@chainwright/conformance";
import { describe } from "vitest";
import {
  betterSqlite3Library,
  nodeSqliteLibrary,
  openNotify,
  openState,
  openUnmigrated,
  without,
  type Library,
} from "./backends.ts";
import {
  drizzleLibrary,
  drizzleOnLibsqlLibrary,
  kyselyLibrary,
  kyselyOnLibsqlLibrary,
  kyselyOnNodeLibrary,
} from "./orm-libraries.ts";

describeOtherDrivers("clients and workers, with node:sqlite", () => {
  const createState = () => openState(nodeSqliteLibrary);
  testCases(behaviourConformance({ createState, createNotify: () => openNotify(nodeSqliteLibrary), without }));
});

describeOtherDrivers("clients and workers that get no hints, with better-sqlite3", () => {
  testCases(behaviourConformance({ createState: () => openState(betterSqlite3Library), without }));
});

// What differs between these libraries is in orms.test.ts.
describeOtherDrivers("state port, with the transactions of", () => {
  describe("Drizzle on better-sqlite3", () => {
    testStatePort(drizzleLibrary, 0);
  });
  describe("Drizzle on libsql", () => {
    testStatePort(drizzleOnLibsqlLibrary, 2);
  });
  describe("Kysely on better-sqlite3", () => {
    testStatePort(kyselyLibrary, 1);
  });
  describe("Kysely on node:sqlite", () => {
    testStatePort(kyselyOnNodeLibrary, 4);
  });
  describe("Kysely on libsql", () => {
    testStatePort(kyselyOnLibsqlLibrary, 3);
  });
});

/** `share`: which cases run if not all do, see `shareOf`. */
function testStatePort<Tx extends object>(library: Library<Tx>, share: number): void {
  const createAdapter = () => openState(library);
  const createUnmigrated = () => openUnmigrated(library);
  testCases(shareOf(stateConformance({ createAdapter, createUnmigrated, without }), share));
}
