import { areAllDriversTested, describeOn, describeOtherDrivers, findBackend } from "@chainwright/backends/vitest";
import type { PGlite } from "@electric-sql/pglite";
import { describe } from "vitest";
import { openPGlite, openPostgresJs, type Client, type PGliteClient } from "./clients.ts";
import { openDrizzleOnPGlite, openKyselyOnPGlite, type Orm } from "./orm-clients.ts";
import { testBehaviour, testStatePort, withoutRowLocks } from "./port-suites.ts";

const server = await findBackend("postgres");
const [plain, ofKysely, ofDrizzle] = areAllDriversTested()
  ? await Promise.all([openPGlite(), openPGlite(), openPGlite()])
  : [];

describeOtherDrivers("clients and workers, with PGlite", () => {
  if (plain !== undefined) testBehaviour(plain, "behaviour on pglite", withoutRowLocks);
});

describeOtherDrivers("clients and workers, with postgres.js", () => {
  describeOn("on a server", server, (url) => testBehaviour(openPostgresJs(url, 12), "behaviour on postgres.js"));
});

// What differs between the transactions of these libraries is in orms.test.ts and orm-drivers.test.ts.
describeOtherDrivers("state port, on PGlite with the transactions of", () => {
  describe("Kysely", () => {
    if (ofKysely !== undefined)
      testStatePort(onPGlite(openKyselyOnPGlite, ofKysely), "kysely", { share: 0, without: withoutRowLocks });
  });
  describe("Drizzle", () => {
    if (ofDrizzle !== undefined)
      testStatePort(onPGlite(openDrizzleOnPGlite, ofDrizzle), "drizzle", { share: 1, without: withoutRowLocks });
  });
});

function onPGlite<Tx>(open: (database: PGlite) => Orm<Tx>, pglite: PGliteClient): Client<Tx> {
  const orm = open(pglite.database);
  return {
    driver: () => orm.driver,
    execute: pglite.execute,
    executeIn: async (tx, sql) => {
      await orm.execute(tx, sql);
      return [];
    },
    end: pglite.end,
  };
}
