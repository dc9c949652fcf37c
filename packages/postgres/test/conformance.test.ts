import { findBackend } from "@chainwright/backends/vitest";
import { stateConformance } from "chainwright/conformance";
import { afterAll, beforeAll, describe, test } from "vitest";
import { openPGlite, openPg, openPostgresJs } from "./clients.ts";
import type { Client } from "./clients.ts";
import { createSchemas } from "./schemas.ts";

const url = await findBackend("postgres");

describe.skipIf(url === undefined)("on a server", () => {
  describe("with pg", () => {
    suite(openPg(url ?? "", 12), "pg");
  });
  describe("with postgres.js", () => {
    suite(openPostgresJs(url ?? "", 12), "postgres.js");
  });
});

const db = await openPGlite();
describe("in the process, with PGlite", () => {
  suite(db, "pglite");
});

function suite<Tx>(client: Client<Tx>, name: string): void {
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
  const cases = stateConformance({ createAdapter: schemas.take, createUnmigrated: schemas.takeUnmigrated });
  for (const { name: rule, skipped, run } of cases) test.skipIf(skipped !== undefined)(rule, run);
}
