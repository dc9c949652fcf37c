import { startPostgres, type Server } from "@chainwright/backends";
import { findBackend } from "@chainwright/backends/vitest";
import type { StateAdapter } from "chainwright";
import { Client, Pool } from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { pg } from "../src/drivers/pg.ts";
import { createPostgresStateAdapter } from "../src/index.ts";
import type { ClaimedJob, Outcome } from "chainwright/adapter";
import { claim, claimOf, completed, job, jobs, workerId } from "./jobs.ts";
import { claimLimited, declare, fair, limits, startLimited } from "./limit-stores.ts";

const url = await findBackend("postgres");

/**
 * A failover that loses commits sets the sequence of positions back, while clients remember where they found their first rows.
 * These tests simulate it: they restart the server and set the sequence back.
 */
describe.skipIf(url === undefined)("where claims begin to look", { timeout: 60_000 }, () => {
  let server: Server;
  let pool: Pool;
  let store: StateAdapter;
  let leased: readonly ClaimedJob[];

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
    await pool.query("truncate chainwright.open_job, chainwright.job, chainwright.parked, chainwright.lane");
    store = createPostgresStateAdapter({ driver: pg(pool) }) as StateAdapter;
    // Claims have to skip the leased jobs.
    await store.start([{ starts: jobs(2_000, "a") }], {});
    leased = await claim(store, ["a"], 2_000);
    await store.start([{ starts: jobs(5, "a") }], {});
    await claim(store, ["a"], 1);
  });

  const startBeforeTheFront = async (): Promise<string> => {
    await pool.query("select setval('chainwright.position', 1)");
    const hidden = job("a");
    await store.start([{ starts: [hidden] }], {});
    return hidden.id;
  };
  const holdSnapshot = async (): Promise<Client> => {
    const client = new Client({ connectionString: server.url });
    await client.connect();
    await client.query("begin isolation level repeatable read");
    await client.query("select 1");
    return client;
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

  it("does not keep keys from their turns: jobs under limits that become due go into their lanes, more than a claim takes (C5)", async () => {
    await declare(store, { tenant: fair });
    const of = (key: string) => ({ limits: limits(["tenant", key]) });
    // Scheduled, because most of those that are ready at once are in the inbox from their start on.
    const scheduled = { ...of("many"), schedule: { afterMs: 1 } };
    await store.start([{ starts: jobs(300, "a", scheduled) }], { now: Date.now() - 10 });
    const [one] = await startLimited(store, 1, limits(["tenant", "one"]));
    const begun: string[] = [];
    for (let n = 0; n < 10; n += 1) {
      begun.push(...(await claimLimited(store, 1)).filter(({ limits: under }) => under).map(({ id }) => id));
    }
    expect(begun.length).toBeGreaterThanOrEqual(3);
    expect(begun).toContain(one);
  });

  it("is the beginning again after a while, so that no job at an earlier position is lost", async () => {
    const hidden = await startBeforeTheFront();
    await vi.waitFor(async () => expect(await idsOf()).toContain(hidden), { timeout: 20_000, interval: 50 });
  });

  it("is the beginning again soon if a claim could not say when the next lease ends", async () => {
    // A process that knows no places: its claim looks from the beginning and skips so much that it looks for no lease.
    store = createPostgresStateAdapter({ driver: pg(pool) }) as StateAdapter;
    const { claimed, nextDueInMs } = await store.exchange({ outcomes: [], claim: claimOf(["a"], 10) }, {});
    expect(claimed).toHaveLength(4);
    expect(nextDueInMs).toBeLessThanOrEqual(30_000);
  });

  it("is the beginning more seldom the more workers there are that look for the same types, because each of them looks", async () => {
    const addWorkers = (typeName: string) =>
      pool.query(
        `insert into chainwright.worker (id, name, type_names, concurrency, holds, schema_version, started_at, last_seen_at, alive_until)
         select gen_random_uuid(), 'other', $1, 10, 0, 1, 0, 0, 1e15 from generate_series(1, 10000)`,
        [JSON.stringify([typeName])],
      );
    const nextLookInMs = async () => {
      store = createPostgresStateAdapter({ driver: pg(pool) }) as StateAdapter;
      return (await store.exchange({ outcomes: [], claim: claimOf(["a"], 10) }, {})).nextDueInMs;
    };
    try {
      await addWorkers("b");
      expect(await nextLookInMs()).toBeLessThan(20_000);
      await addWorkers("a");
      expect(await nextLookInMs()).toBeGreaterThan(20_000);
    } finally {
      await pool.query("truncate chainwright.worker");
    }
  });

  it.each([0, -5, 5])(
    "does not hide a job of priority %d that becomes due at an earlier position",
    async (priority) => {
      await pool.query("select setval('chainwright.position', 1)");
      const hidden = job("a", { priority, schedule: { afterMs: 10_000 } });
      await store.start([{ starts: [hidden] }], {});
      const { claimed } = await store.exchange(
        { outcomes: [], claim: claimOf(["a"], 10) },
        { now: Date.now() + 15_000 },
      );
      expect(claimed.map(({ id }) => id)).toContain(hidden.id);
    },
  );

  it("does not hide jobs that become due at earlier positions if a claim has no room for them", async () => {
    await pool.query("select setval('chainwright.position', 1)");
    const hidden = jobs(3, "a", { priority: -5, schedule: { afterMs: 10_000 } });
    await store.start([{ starts: hidden }], {});
    const found = new Set<string>();
    for (let each = 0; each < 10; each += 1) {
      const { claimed } = await store.exchange(
        { outcomes: [], claim: claimOf(["a"], 1) },
        { now: Date.now() + 15_000 },
      );
      for (const { id } of claimed) found.add(id);
    }
    for (const { id } of hidden) expect(found).toContain(id);
  });

  it("does not hide jobs of a transaction that commits after many later ones", async () => {
    const others = new Pool({ connectionString: server.url, max: 1 });
    const late = createPostgresStateAdapter({ driver: pg(others) });
    const lateJobs = jobs(1_500, "a");
    const first = await late.transaction(async (tx) => {
      await late.start([{ starts: lateJobs }], { tx });
      await store.start([{ starts: jobs(1_500, "a") }], {});
      for (let each = 0; each < 5; each += 1) expect(await claim(store, ["a"], 10)).toHaveLength(10);
      return new Set(lateJobs.slice(0, 10).map(({ id }) => id));
    });
    expect(new Set(await idsOf())).toEqual(first);
    await late.close();
    await others.end();
  });

  it("does not hide a delayed job of a transaction that commits long after it was due", async () => {
    const others = new Pool({ connectionString: server.url, max: 1 });
    const late = createPostgresStateAdapter({ driver: pg(others) });
    const now = Date.now() + 15_000;
    const dueEarly = { schedule: { afterMs: 10 } };
    const lateJob = job("a", dueEarly);
    const claimAt = async (afterMs: number) => {
      const request = { outcomes: [], claim: claimOf(["a"], 10) };
      return (await store.exchange(request, { now: now + afterMs })).claimed.map(({ id }) => id);
    };
    await late.transaction(async (tx) => {
      await late.start([{ starts: [lateJob] }], { tx, now });
      await store.start([{ starts: jobs(5, "a", dueEarly) }], { now });
      expect(await claimAt(5_000)).toHaveLength(9);
      expect(await claimAt(5_000)).toHaveLength(0);
    });
    expect(await claimAt(5_100)).toContain(lateJob.id);
    await late.close();
    await others.end();
  });

  it("does not hide jobs in the inbox that another transaction had locked while later ones began", async () => {
    await declare(store, { tenant: fair });
    const starts = Array.from({ length: 1_200 }, (_, n) => job("a", { limits: limits(["tenant", `${n}`]) }));
    await store.start([{ starts }], {});
    await claimLimited(store, 1);
    const other = new Client({ connectionString: server.url });
    await other.connect();
    await other.query("begin");
    const locked = starts.slice(1, 11).map(({ id }) => id);
    await other.query("select from chainwright.open_job where job_id = any($1) for update", [locked]);
    const found: string[] = [];
    const take = async (limit: number) => {
      const held = await claimLimited(store, limit);
      found.push(...held.map(({ id }) => id));
      await store.settle(
        held.map((each) => completed(each)),
        {},
      );
    };
    for (let claims = 0; claims < 11; claims += 1) await take(100);
    await other.query("rollback");
    await other.end();
    for (let claims = 0; claims < 3; claims += 1) await take(100);
    expect(found).toEqual(expect.arrayContaining(locked));
  });

  it("is found by a look beside the claims while a snapshot keeps many dead rows", async () => {
    const snapshot = await holdSnapshot();
    const others = new Pool({ connectionString: server.url, max: 2 });
    await pool.query(`insert into chainwright.open_job (job_id, chain_id, position, due_at, leased_until, step, attempt, blockers_left,
        state, rank, has_blockers, type_name)
      select gen_random_uuid(), gen_random_uuid(), n, 0, 0, 1, 0, 0, 0, -1, false, 'a' from generate_series(1, 30000) n`);
    await pool.query("delete from chainwright.open_job where leased_by is null");
    await pool.query("select setval('chainwright.position', 30000)");
    await pool.query("select pg_stat_force_next_flush()");
    await pool.query("select 1");
    store = createPostgresStateAdapter({ driver: pg(others) }) as StateAdapter;
    const read = async (): Promise<number> => {
      await others.query("select pg_stat_force_next_flush()");
      const { rows } = await pool.query<{ read: string }>(
        "select idx_tup_read as read from pg_stat_user_indexes where indexrelname = 'open_job_ready'",
      );
      return Number(rows[0]?.read);
    };
    try {
      await store.start([{ starts: jobs(5, "a") }], {});
      await claim(store, ["a"], 1);
      const before = await read();
      const hidden = await startBeforeTheFront();
      await pool.query("select setval('chainwright.position', 31000)");
      let claims = 0;
      const claimed = async () => {
        claims += 1;
        return idsOf();
      };
      await vi.waitFor(async () => expect(await claimed()).toContain(hidden), { timeout: 40_000, interval: 20 });
      expect((await read()) - before).toBeLessThan(2_000 * claims);
    } finally {
      await store.close();
      await others.end();
      await snapshot.end();
    }
  });

  it("does not hide a job that this process hands back", async () => {
    const [first] = leased;
    if (first === undefined) throw new Error("no job is leased");
    const target = { jobId: first.id, workerId, fence: first.fence };
    const handedBack: Outcome = { target, kind: "deferred", schedule: undefined, counted: false, errors: undefined };
    await store.exchange({ outcomes: [handedBack], claim: undefined }, {});
    expect(await idsOf()).toContain(first.id);
  });

  it("does not hide a job whose blocker this process completes", async () => {
    const first = job("b");
    await store.start([{ starts: [first] }], {});
    await pool.query("select setval('chainwright.position', 1)");
    const hidden = job("a", { blockers: [{ chainId: first.id, typeName: "b" }] });
    await store.start([{ starts: [hidden] }], {});
    const [blocker] = await claim(store, ["b"], 1);
    if (blocker === undefined) throw new Error("the blocker was not claimed");
    await store.exchange({ outcomes: [completed(blocker)], claim: undefined }, {});
    expect(await idsOf()).toContain(hidden.id);
  });
});
