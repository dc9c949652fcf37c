import { describeOn, describeOtherDrivers, findBackend } from "@chainwright/backends/vitest";
import { openPg, type Client } from "./clients.ts";
import {
  openDrizzle,
  openDrizzleOnPostgresJs,
  openKnex,
  openKysely,
  openKyselyOnPostgresJs,
  type OpenOrm,
} from "./orm-clients.ts";
import { testStatePortOfOrm } from "./port-suites.ts";
import { openPrisma } from "./prisma-client.ts";

const server = await findBackend("postgres");

// What differs between the transactions of these libraries is in orms.test.ts and orm-drivers.test.ts.
describeOtherDrivers("state port, with the transactions of", () => {
  describeOn("Kysely", server, (url) => testStatePortOfOrm(clientOf(openKysely, url), "kysely", 0));
  describeOn("Kysely on postgres.js", server, (url) =>
    testStatePortOfOrm(clientOf(openKyselyOnPostgresJs, url), "kysely on postgres.js", 4),
  );
  describeOn("Drizzle on pg", server, (url) => testStatePortOfOrm(clientOf(openDrizzle, url), "drizzle", 1));
  describeOn("Drizzle on postgres.js", server, (url) =>
    testStatePortOfOrm(clientOf(openDrizzleOnPostgresJs, url), "drizzle on postgres.js", 5),
  );
  describeOn("Knex", server, (url) => testStatePortOfOrm(clientOf(openKnex, url), "knex", 2));
  describeOn("Prisma", server, (url) => testStatePortOfOrm(clientOf(openPrisma, url), "prisma", 3));
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
