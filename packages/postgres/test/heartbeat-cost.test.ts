import { findBackend } from "@chainwright/backends/vitest";
import { Pool } from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { pg } from "../src/drivers/pg.ts";
import { createPostgresStateAdapter } from "../src/index.ts";

const url = await findBackend("postgres");

/** `jit_above_cost` as it comes with Postgres. */
const jitAboveCost = 100_000;

describe.skipIf(url === undefined)("a heartbeat", () => {
  it("is estimated as cheap, or Postgres would compile it each time, which takes half a second", async () => {
    const pool = new Pool({ connectionString: url, max: 1 });
    const schema = `heartbeat cost ${process.pid}`;
    onTestFinished(async () => {
      await pool.query(`drop schema "${schema}" cascade`);
      await pool.end();
    });
    const store = createPostgresStateAdapter({ driver: pg(pool), schema });
    await store.migrate();
    const said = { workerId: "w", name: "w", typeNames: ["a"], concurrency: 1, holds: 0, aliveForMs: 30_000 };
    await store.heartbeat(said, {});
    const { rows } = await pool.query<{ name: string }>(
      "select name from pg_prepared_statements where statement like '%.worker as w (%'",
    );
    expect(rows).toHaveLength(1);
    const plan = await pool.query<{ "QUERY PLAN": readonly [{ readonly Plan: { readonly "Total Cost": number } }] }>(
      `explain (format json) execute "${rows[0]?.name}"(null, 'w', 'w', '[]', '1', '0', '30000', null, null, null, null)`,
    );
    expect(plan.rows[0]?.["QUERY PLAN"][0].Plan["Total Cost"]).toBeLessThan(jitAboveCost);
  });
});
