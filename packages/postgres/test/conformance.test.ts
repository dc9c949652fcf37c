import { findBackend } from "@chainwright/backends/vitest";
import { stateConformance } from "@chainwright/conformance";
import { afterAll, beforeAll, describe, test } from "vitest";
import { openPGlite, openPg, openPgWithOddSettings, openPostgresJs } from "./clients.ts";
import type { Client } from "./clients.ts";
import { openDrizzle, openDrizzleOnPostgresJs, openKnex, openKysely, openPrisma } from "./orm-clients.ts";
import type { OpenOrm } from "./orm-clients.ts";
import { createSchemas } from "./schemas.ts";

const url = await findBackend("postgres");

describe.skipIf(url === undefined)("on a server", () => {
  describe("with pg, and settings that round and rearrange what is read", () => {
    suite(openPgWithOddSettings(url ?? "", 12), "pg");
  });
  describe("with postgres.js", () => {
    suite(openPostgresJs(url ?? "", 12), "postgres.js");
  });
});

/** Only with CHAINWRIGHT_ORMS=1: what differs between them is in orms.test.ts. */
const withOrms = url !== undefined && process.env["CHAINWRIGHT_ORMS"] === "1";

describe.skipIf(!withOrms)("with the transactions of", () => {
  describe("Kysely", () => {
    suite(clientOf(openKysely), "kysely");
  });
  describe("Drizzle on pg", () => {
    suite(clientOf(openDrizzle), "drizzle");
  });
  describe("Drizzle on postgres.js", () => {
    suite(clientOf(openDrizzleOnPostgresJs), "drizzle on postgres.js");
  });
  describe("Knex", () => {
    suite(clientOf(openKnex), "knex");
  });
  describe("Prisma", () => {
    suite(clientOf(openPrisma), "prisma");
  });
});

function clientOf<Tx>(open: OpenOrm<Tx>): Client<Tx> {
  const [orm, own] = [open(url ?? ""), openPg(url ?? "", 1)];
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

const db = await openPGlite();
describe("in the process, with PGlite", () => {
  suite(db, "pglite", { rowLocks: "it has one connection" });
});

function suite<Tx>(client: Client<Tx>, name: string, without: { readonly rowLocks?: string } = {}): void {
  const schemas = createSchemas(client, name);
  // The first one takes longer than a case may.
  beforeAll(async () => {
    const { adapter, close } = await schemas.take();
    await adapter.close();
    await close();
  }, 30_000);
  afterAll(async () => {
    await schemas.dropAll();
    await client.end();
  });
  const cases = stateConformance({
    createAdapter: schemas.take,
    createUnmigrated: schemas.takeUnmigrated,
    without,
  });
  for (const { name: rule, skipped, run } of cases) test.skipIf(skipped !== undefined)(rule, run);
}
