import { findBackend } from "@chainwright/backends/vitest";
import { behaviourConformance } from "@chainwright/conformance";
import { afterAll, beforeAll, describe, test } from "vitest";
import { openPGlite, openPg, openPostgresJs } from "./clients.ts";
import type { Client } from "./clients.ts";
import { createSchemas } from "./schemas.ts";

const url = await findBackend("postgres");

/** The state port is held on every driver elsewhere: postgres.js with CHAINWRIGHT_DRIVERS=all, for it takes a while. */
const withAll = process.env["CHAINWRIGHT_DRIVERS"] === "all";

describe.skipIf(url === undefined)("clients and workers on a server", () => {
  describe("with pg", () => {
    suite(openPg(url ?? "", 12), "behaviour on pg");
  });
  describe.skipIf(!withAll)("with postgres.js", () => {
    suite(openPostgresJs(url ?? "", 12), "behaviour on postgres.js");
  });
});

const db = await openPGlite();
describe("clients and workers in the process, with PGlite", () => {
  suite(db, "behaviour on pglite", { rowLocks: "it has one connection" });
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
  for (const { name: rule, skipped, run } of behaviourConformance({ createState: schemas.take, without }))
    test.skipIf(skipped !== undefined)(rule, { timeout: 30_000 }, run);
}
