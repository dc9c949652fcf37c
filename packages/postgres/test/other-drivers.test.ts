import { areAllDriversTested, describeOn, describeOtherDrivers, findBackend } from "@chainwright/backends/vitest";
import { openPGlite, openPg, openPostgresJs, type Client } from "./clients.ts";
import { openDrizzle, openDrizzleOnPostgresJs, openKnex, openKysely, openPrisma, type OpenOrm } from "./orm-clients.ts";
import { testBehaviour, testStatePort, withoutRowLocks } from "./port-suites.ts";

const server = await findBackend("postgres");
const pglite = areAllDriversTested() ? await openPGlite() : undefined;

describeOtherDrivers("clients and workers, with PGlite", () => {
  if (pglite !== undefined) testBehaviour(pglite, "behaviour on pglite", withoutRowLocks);
});

describeOtherDrivers("clients and workers, with postgres.js", () => {
  describeOn("on a server", server, (url) => testBehaviour(openPostgresJs(url, 12), "behaviour on postgres.js"));
});

// What differs between the transactions of these libraries is in orms.test.ts.
describeOtherDrivers("state port, with the transactions of", () => {
  describeOn("Kysely", server, (url) => testStatePort(clientOf(openKysely, url), "kysely"));
  describeOn("Drizzle on pg", server, (url) => testStatePort(clientOf(openDrizzle, url), "drizzle"));
  describeOn("Drizzle on postgres.js", server, (url) =>
    testStatePort(clientOf(openDrizzleOnPostgresJs, url), "drizzle on postgres.js"),
  );
  describeOn("Knex", server, (url) => testStatePort(clientOf(openKnex, url), "knex"));
  describeOn("Prisma", server, (url) => testStatePort(clientOf(openPrisma, url), "prisma"));
});

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
