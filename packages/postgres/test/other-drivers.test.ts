import { areAllDriversTested, describeOn, describeOtherDrivers, findBackend } from "@chainwright/backends/vitest";
import type { PGlite } from "@electric-sql/pglite";
import { describe } from "vitest";
import { openPGlite, openPg, openPostgresJs, type Client, type PGliteClient } from "./clients.ts";
import {
  openDrizzle,
  openDrizzleOnPGlite,
  openDrizzleOnPostgresJs,
  openKnex,
  openKysely,
  openKyselyOnPGlite,
  openKyselyOnPostgresJs,
  type OpenOrm,
  type Orm,
} from "./orm-clients.ts";
import { testBehaviour, testStatePort, withoutRowLocks } from "./port-suites.ts";
import { openPrisma } from "./prisma-client.ts";

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
describeOtherDrivers("state port, with the transactions of", () => {
  describeOn("Kysely", server, (url) => testStatePort(clientOf(openKysely, url), "kysely"));
  describeOn("Kysely on postgres.js", server, (url) =>
    testStatePort(clientOf(openKyselyOnPostgresJs, url), "kysely on postgres.js"),
  );
  describeOn("Drizzle on pg", server, (url) => testStatePort(clientOf(openDrizzle, url), "drizzle"));
  describeOn("Drizzle on postgres.js", server, (url) =>
    testStatePort(clientOf(openDrizzleOnPostgresJs, url), "drizzle on postgres.js"),
  );
  describeOn("Knex", server, (url) => testStatePort(clientOf(openKnex, url), "knex"));
  describeOn("Prisma", server, (url) => testStatePort(clientOf(openPrisma, url), "prisma"));
});

describeOtherDrivers("state port, on PGlite with the transactions of", () => {
  describe("Kysely", () => {
    if (ofKysely !== undefined) testStatePort(onPGlite(openKyselyOnPGlite, ofKysely), "kysely", withoutRowLocks);
  });
  describe("Drizzle", () => {
    if (ofDrizzle !== undefined) testStatePort(onPGlite(openDrizzleOnPGlite, ofDrizzle), "drizzle", withoutRowLocks);
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

function clientOf<Tx>(open: OpenOrm<Tx>, url: string): Client<Tx> {
  const [orm, own] = [open(url), openPg(url, 1)];
  return {
    driver: () => orm.driver,
    execute: own.execute,
    executeIn: async (tx, sql) => {
      await orm.execute(tx, sql);
      return [];
    },
    end: async () => {
      await orm.end();
      await own.end();
    },
  };
}
