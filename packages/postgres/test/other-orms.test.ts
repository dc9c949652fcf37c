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
  describeOn("Kysely", server, (url) => testStatePort(clientOf(openKysely, url), "kysely", { share: 0 }));
  describeOn("Kysely on postgres.js", server, (url) =>
    testStatePort(clientOf(openKyselyOnPostgresJs, url), "kysely on postgres.js", { share: 4 }),
  );
  describeOn("Drizzle on pg", server, (url) => testStatePort(clientOf(openDrizzle, url), "drizzle", { share: 1 }));
  describeOn("Drizzle on postgres.js", server, (url) =>
    testStatePort(clientOf(openDrizzleOnPostgresJs, url), "drizzle on postgres.js", { share: 5 }),
  );
  describeOn("Knex", server, (url) => testStatePort(clientOf(openKnex, url), "knex", { share: 2 }));
  describeOn("Prisma", server, (url) => testStatePort(clientOf(openPrisma, url), "prisma", { share: 3 }));
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
