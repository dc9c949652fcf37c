import { setTimeout as delay } from "node:timers/promises";
import { findBackend } from "@chainwright/backends/vitest";
import type { StateAdapter } from "chainwright";
import type { ClaimedJob, JobLimit, JobStart, Outcome } from "chainwright/adapter";
import { Pool, type PoolClient } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pg } from "../src/drivers/pg.ts";
import { createPostgresStateAdapter } from "../src/index.ts";
import { completed, job } from "./jobs.ts";
import { declare, places } from "./limit-stores.ts";
import { scaled } from "./scale.ts";

const url = await findBackend("postgres");

const [workers, jobCount] = [6, scaled(600, 6_000)];
const tenants = 40;
const placesOf = (tenant: number) => 1 + (tenant % 3);
const ofAll = 7;

/**
 * Workers on connections of their own, some of which die with jobs or settle in transactions that take long, and a starter whose
 * transactions take long as well. What runs is counted between the reply of a claim and the call that settles.
 */
describe.skipIf(url === undefined)("limits by key under stress", { timeout: 120_000 }, () => {
  const schema = `limit stress ${process.pid}`;
  const quoted = `"${schema}"`;
  let pool: Pool;
  let stores: StateAdapter<PoolClient>[];

  beforeAll(async () => {
    pool = new Pool({ connectionString: url, max: 2 * workers + 4 });
    stores = Array.from({ length: workers + 1 }, () => createPostgresStateAdapter({ driver: pg(pool), schema }));
    await stores[0]?.migrate();
  });

  afterAll(async () => {
    await pool.query(`drop schema ${quoted} cascade`);
    await pool.end();
  });

  it("no limit is ever passed, no job is left behind, and no two calls wait for each other in a ring", async () => {
    const [starter, ...claimers] = stores as [StateAdapter<PoolClient>, ...StateAdapter<PoolClient>[]];
    await declare(starter, { all: places(ofAll), tenant: places(2) });
    await starter.changeLimits(
      Array.from({ length: tenants }, (_, tenant) => {
        const rule = places(placesOf(tenant));
        return { kind: "override", limit: "tenant", key: `${tenant}`, rule } as const;
      }),
      {},
    );
    const running = new Map<string, Set<string>>();
    const faults: string[] = [];
    const ended = new Set<string>();
    const begin = ({ id, limits = [] }: ClaimedJob) => {
      for (const { limit, key } of limits) {
        const gate = `${limit} ${key}`;
        const own = running.get(gate) ?? new Set<string>();
        running.set(gate, own.add(id));
        const most = limit === "all" ? ofAll : placesOf(Number(key));
        if (own.size > most) faults.push(`${gate}: ${own.size} of ${most}`);
      }
    };
    const end = ({ id, limits = [] }: ClaimedJob) => {
      for (const { limit, key } of limits) running.get(`${limit} ${key}`)?.delete(id);
    };
    const ids: string[] = [];
    let started = 0;
    const starting = (async () => {
      while (started < jobCount) {
        const starts = Array.from({ length: Math.min(1 + random(40), jobCount - started) }, randomStart);
        started += starts.length;
        ids.push(...starts.map(({ id }) => id));
        await starter.transaction(async (tx) => {
          await starter.start([{ starts }], { tx });
          if (random(5) === 0) await delay(30);
        });
      }
    })();
    const outcomeOf = (held: ClaimedJob, workerId: string): Outcome => {
      if (held.attempt < 3 && random(10) === 0) {
        const target = { jobId: held.id, workerId, fence: held.fence };
        return { target, kind: "deferred", schedule: { afterMs: random(40) }, counted: true, errors: undefined };
      }
      return completed(held, workerId);
    };
    const settle = async (store: StateAdapter<PoolClient>, outcomes: readonly Outcome[]) => {
      const run = (tx?: PoolClient) => store.settle(outcomes, { tx });
      const replies =
        random(10) === 0
          ? await store.transaction(async (tx) => {
              const inside = await run(tx);
              await delay(10);
              return inside;
            })
          : await run();
      for (const [n, reply] of replies.entries()) {
        const outcome = outcomes[n];
        if (outcome?.kind === "completed" && "jobId" in outcome.target && reply.status === "settled")
          ended.add(outcome.target.jobId);
      }
    };
    const work = async (store: StateAdapter<PoolClient>, index: number) => {
      const workerId = `w${index}`;
      const types = ["a", "b", "c"].filter((_, n) => n !== index % 4).map((typeName) => ({ typeName, leaseMs: 150 }));
      while (ended.size < jobCount) {
        const limit = 1 + random(12);
        const claim = { workerId, types, limit, limited: true };
        const { claimed, nextDueInMs = 50 } = await store.exchange({ outcomes: [], claim }, {});
        if (claimed.length === 0) await delay(Math.min(50, nextDueInMs));
        if (random(33) === 0) continue;
        for (const held of claimed) begin(held);
        if (random(3) === 0) await delay(random(20));
        for (const held of claimed) end(held);
        await settle(
          store,
          claimed.map((held) => outcomeOf(held, workerId)),
        );
      }
    };
    await Promise.all([starting, ...claimers.map(work)]);
    expect(faults).toEqual([]);
    expect(ids.filter((id) => !ended.has(id))).toEqual([]);
    const { rows } = await pool.query<{ held: number; open: number }>(
      `select (select count(*) from ${quoted}.place where job_id is not null)::int as held, (select count(*) from ${quoted}.open_job)::int as open`,
    );
    expect(rows).toEqual([{ held: 0, open: 0 }]);
  });
});

function random(below: number): number {
  return Math.floor(Math.random() * below);
}

function randomStart(): JobStart {
  const tenant: JobLimit = { limit: "tenant", key: `${Math.floor(tenants * Math.random() ** 2)}` };
  const limits = [
    [tenant],
    [{ limit: "all", key: "x" }, tenant],
    [{ limit: "all", key: "x" }, tenant],
    [tenant],
    undefined,
  ];
  const holds = random(4) === 0;
  return job(["a", "b", "c"][random(3)] ?? "a", {
    limits: limits[random(5)]?.map((each) => ({ ...each, holds })),
    priority: random(2),
  });
}
