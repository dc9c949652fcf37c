import { findBackend } from "@chainwright/backends/vitest";
import type { StateAdapter } from "chainwright";
import type { CallOptions, Claim } from "chainwright/adapter";
import { Pool, type PoolClient } from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { pg } from "../src/drivers/pg.ts";
import { createPostgresStateAdapter } from "../src/index.ts";
import { claim, claimOf, completed, job, jobs } from "./jobs.ts";

const url = await findBackend("postgres");

/** What is left to `claim_any_v1`, and what a claim continues there. */
describe.skipIf(url === undefined)("a plain claim on Postgres", { timeout: 60_000 }, () => {
  const schema = `plain claim ${process.pid}`;
  const quoted = `"${schema}"`;
  let pool: Pool;
  let store: StateAdapter<PoolClient>;

  beforeAll(async () => {
    pool = new Pool({ connectionString: url, max: 3 });
    await createPostgresStateAdapter({ driver: pg(pool), schema }).migrate();
  });

  afterAll(async () => {
    await pool.query(`drop schema ${quoted} cascade`);
    await pool.end();
  });

  beforeEach(async () => {
    await pool.query(`truncate ${quoted}.open_job, ${quoted}.job, ${quoted}.blocker`);
    store = createPostgresStateAdapter({ driver: pg(pool), schema });
  });

  const exchange = (request: Claim, options: CallOptions<PoolClient> = {}) =>
    store.exchange({ outcomes: [], claim: request }, options);
  const fanIn = () => job("fan-in", { blockers: [{ start: job("blocker") }] });

  it("takes jobs of all priorities in their order, of few priorities and of many", async () => {
    for (const priorities of [
      [0, 7, -7],
      [3, -2, 0, 5, -9, 1, -1],
    ]) {
      for (const priority of priorities) await store.start([{ starts: jobs(2, "a", { priority }) }], {});
      await store.start([{ starts: jobs(3, "other", { priority: 2 }) }], {});
      const { claimed, nextDueInMs } = await exchange(claimOf(["a"], 50));
      const order = priorities.toSorted((left, right) => right - left).flatMap((each) => [each, each]);
      expect(claimed.map(({ priority }) => priority)).toEqual(order);
      expect(nextDueInMs).toBeLessThanOrEqual(30_000);
      await store.settle(
        claimed.map((each) => completed(each)),
        {},
      );
    }
  });

  it("reports when the first lease of the jobs that others hold ends, whatever their priorities", async () => {
    const now = Date.now();
    for (const [priority, leaseMs] of [
      [4, 9_000],
      [0, 5_000],
      [-4, 2_000],
      [8, 1_900],
      [-8, 1_800],
    ] as const) {
      await store.start([{ starts: jobs(1, "a", { priority }) }], { now });
      const request = { workerId: "other", types: [{ typeName: "a", leaseMs }], limit: 1 };
      expect((await exchange(request, { now })).claimed).toHaveLength(1);
      expect((await exchange(claimOf(["a"], 5), { now })).nextDueInMs).toBe(leaseMs);
    }
  });

  it("makes more due jobs ready than it does at once", async () => {
    const now = Date.now();
    await store.start([{ starts: jobs(600, "other", { schedule: { afterMs: 1_000 } }) }], { now });
    await store.start([{ starts: jobs(3, "a", { schedule: { afterMs: 2_000 } }) }], { now });
    expect((await exchange(claimOf(["a"], 5), { now: now + 10_000 })).claimed).toHaveLength(3);
  });

  it("returns the same jobs to a process of the last release, which passes names as JSON", async () => {
    await store.start([{ starts: jobs(4, "a") }], {});
    const claimed = async (types: string) => {
      const text = `select uuid_1 from ${quoted}.claim_v1(null, null, 'w', $1, '{60000,60000}', '4', null) where kind = 'claimed'`;
      const client = await pool.connect();
      try {
        await client.query("begin");
        const { rows } = await client.query<{ uuid_1: string }>(text, [types]);
        await client.query("rollback");
        return rows.map((row) => row.uuid_1);
      } finally {
        client.release();
      }
    };
    const ids = await claimed('{"a","b"}');
    expect(ids).toHaveLength(4);
    expect(await claimed('["a","b"]')).toEqual(ids);
  });

  it("returns the blockers of each job once, also to several claims in one transaction", async () => {
    await store.start([{ starts: [fanIn(), fanIn()] }], {});
    for (const each of await claim(store, ["blocker"], 2)) await store.settle([completed(each)], {});
    await store.transaction(async (tx) => {
      for (let n = 0; n < 2; n += 1) {
        const { claimed } = await exchange(claimOf(["fan-in"], 1), { tx });
        expect(claimed.map(({ blockers }) => blockers.length)).toEqual([1]);
      }
      await store.start([{ starts: jobs(1, "a") }], { tx });
      const text = `select kind from ${quoted}.claim_v1(null, null, 'w', '{"a"}', '{60000}', '1', null)`;
      expect((await tx.query<{ kind: string }>(text)).rows.map(({ kind }) => kind)).toEqual(["claimed"]);
    });
  });

  it.each(["job", "open_job"])("waits no longer for the lock of the table %s than it may", async (table) => {
    const client = await pool.connect();
    try {
      await store.start([{ starts: jobs(1, "a") }], {});
      await client.query("begin");
      await client.query(`lock table ${quoted}.${table} in access exclusive mode`);
      await expect(exchange(claimOf(["a"], 1), { waitMs: 20 })).rejects.toThrow(/lock timeout/);
      await client.query("rollback");
    } finally {
      client.release();
    }
  });
});
