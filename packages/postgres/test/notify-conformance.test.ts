import { describeOn, findBackend, testCases } from "@chainwright/backends/vitest";
import { notifyConformance } from "@chainwright/conformance";
import { PGlite } from "@electric-sql/pglite";
import { afterAll, describe } from "vitest";
import { openBackend } from "./notify-backend.ts";
import { onPGlite, openPg, openPostgresJs, withOrm } from "./notify-clients.ts";
import { openDrizzle, openKnex, openKyselyOnPostgresJs } from "./orm-clients.ts";

const url = await findBackend("postgres");

// Drizzle on postgres.js, Kysely on pg and Prisma listen as one of these does.
for (const [name, open] of [
  ["pg", openPg],
  ["postgres.js", openPostgresJs],
  ["Drizzle on pg", withOrm(openDrizzle)],
  ["Kysely on postgres.js", withOrm(openKyselyOnPostgresJs)],
  ["Knex", withOrm(openKnex)],
] as const) {
  describeOn(`notify port, on ${name}`, url, (at) => {
    testCases(notifyConformance({ createAdapter: () => openBackend(open, at) }));
  });
}

describe("notify port, on PGlite", () => {
  const database = new PGlite();
  afterAll(() => database.close());
  const createAdapter = () => openBackend(onPGlite(database), "");
  testCases(notifyConformance({ createAdapter, without: { breakLinks: "it is in this process: nothing can break" } }));
});
