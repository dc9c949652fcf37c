import { startPostgres, type Server } from "@chainwright/backends";
import { findBackend } from "@chainwright/backends/vitest";
import type { StateAdapter } from "chainwright";
import { Pool } from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { pg } from "../src/drivers/pg.ts";
import { createPostgresStateAdapter } from "../src/index.ts";
import { claim, job, jobs } from "./jobs.ts";

const url = await findBackend("postgres");

/**
 * A failover that loses commits sets the sequence of positions back, while clients remember where they found their first rows.
 * These tests simulate it: they restart the server and set the sequence back.
 */
describe.skipIf(url === undefined)("where claims begin to look", { timeout: 60_000 }, () => {
  let server: Server;
  let pool: Pool;
  let store: StateAdapter;

  beforeAll(async () => {
    server = await startPostgres({ settings: { fsync: "off" } });
    pool = new Pool({ connectionString: server.url, max: 1 });
    await createPostgresStateAdapter({ driver: pg(pool) }).migrate();
  }, 60_000);

  afterAll(async () => {
    await pool.end();
    await server.stop();
  });

  beforeEach(async () => {
    await pool.query("truncate chainwright.open_job, chainwright.job");
    store = createPostgresStateAdapter({ driver: pg(pool) }) as StateAdapter;
    // Claims have to skip the leased jobs.
    await store.start([{ starts: jobs(2_000, "a") }], {});
    await claim(store, ["a"], 2_000);
    await store.start([{ starts: jobs(5, "a") }], {});
    await claim(store, ["a"], 1);
  });

  const startBeforeTheFront = async (): Promise<string> => {
    await pool.query("select setval('chainwright.position', 1)");
    const hidden = job("a");
    await store.start([{ starts: [hidden] }], {});
    return hidden.id;
  };
  const idsOf = async () => (await claim(store, ["a"], 10)).map(({ id }) => id);

  it("is the beginning on another server, even if no call has failed", async () => {
    // The connection is idle: the pool drops it and opens another one.
    const closed = new Promise((resolve) => pool.once("remove", resolve));
    await server.restart();
    await closed;
    const hidden = await startBeforeTheFront();
    expect(await idsOf()).toContain(hidden);
  });

  it("is the beginning after an exchange that failed", async () => {
    await pool.query("alter function chainwright.claim_v1 rename to claim_v0");
    await expect(claim(store, ["a"], 1)).rejects.toMatchObject({ code: "not-migrated" });
    await pool.query("alter function chainwright.claim_v0 rename to claim_v1");
    const hidden = await startBeforeTheFront();
    expect(await idsOf()).toContain(hidden);
  });
});
