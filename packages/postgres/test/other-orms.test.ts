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
import { testStatePort } from "./port-suites.ts";
import { openPrisma } from "./prisma-client.ts";

const server = await findBackend("postgres");

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
