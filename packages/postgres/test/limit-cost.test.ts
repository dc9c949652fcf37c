import { startPostgres, type Server } from "@chainwright/backends";
import { findBackend } from "@chainwright/backends/vitest";
import type { ClaimedJob, Outcome } from "chainwright/adapter";
import type { PoolClient } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { claimOf, completed, job, workerId } from "./jobs.ts";
import { claimLimited, declare, limits, openLimitStore, places, startLimited } from "./limit-stores.ts";

const url = await findBackend("postgres");

/** Counts the pages that a claim reads, because a clock would measure the machine. On a server of its own, with no other snapshots. */
describe.skipIf(url === undefined)("the cost of a claim of jobs under limits", { timeout: 60_000 }, () => {
  let server: Server | undefined;
  beforeAll(async () => {
    server = await startPostgres({ settings: { fsync: "off" } });
  });
  afterAll(async () => {
    await server?.stop();
  });
  const { store, pool, quoted } = openLimitStore(() => server?.url ?? "", "limit cost");

  /** Jobs that wait in lanes, one in each of the open ones and the others in one that is closed, as claims leave them. */
  const fill = async (open: number, parked: number) => {
    await declare(store(), { tenant: places(2) });
    const id = `('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid`;
    await pool().query(`
      create table ${quoted}.filled as
        select n, ${id} as id, case when n <= ${open} then n else 0 end as lane from generate_series(1, ${open + parked}) n;
      insert into ${quoted}.job (id, chain_id, step, type_name, priority, on_blocker_failure, status, chain_status, attempt, position,
        created_at, input, limits)
      select id, id, 1, 'a', 0, 0, 0, 0, 0, n, 0, '{}', json_build_object('keys', json_build_array(json_build_array('tenant', lane::text)))
      from ${quoted}.filled;
      insert into ${quoted}.open_job (job_id, chain_id, position, due_at, leased_until, step, attempt, blockers_left, state, rank,
        has_blockers, type_name, lane)
      select id, id, n, 0, 0, 1, 0, 0, 3, -1, false, 'a', md5(lane::text)::uuid from ${quoted}.filled;
      insert into ${quoted}.parked (lane, type_name, rank, position, job_id) select md5(lane::text)::uuid, 'a', -1, n, id from ${quoted}.filled;
      insert into ${quoted}.lane (key, type_name, gates, state, weight, rank, turn, blocked_by, look_at)
      select md5(lane::text)::uuid, 'a', array['tenant' || E'\\x01' || lane], case lane when 0 then 2 else 1 end, 1, -1, lane,
        case lane when 0 then 'tenant' || E'\\x01' || lane end, case lane when 0 then 1e15 end
      from (select distinct lane from ${quoted}.filled) l;
      drop table ${quoted}.filled`);
    for (const table of ["open_job", "job", "parked", "lane"]) await pool().query(`vacuum analyze ${quoted}.${table}`);
  };

  const pagesOfClaim = async (claimed: number): Promise<number> => {
    const client = await pool().connect();
    try {
      let plan: Record<string, number> = {};
      for (let times = 0; times < 2; times += 1) {
        await client.query("begin");
        const { rows } = await client.query<{ "QUERY PLAN": [{ Plan: Record<string, number> }] }>(
          `explain (analyze, buffers, timing off, format json)
          select * from ${quoted}.claim_v2(null, null, $1, '["a"]', '{1000}', '10', null, null, '1') where kind = 'claimed'`,
          [workerId],
        );
        await client.query("rollback");
        plan = rows[0]?.["QUERY PLAN"][0].Plan ?? {};
      }
      expect(plan["Actual Rows"]).toBe(claimed);
      return (plan["Shared Hit Blocks"] ?? 0) + (plan["Shared Read Blocks"] ?? 0);
    } finally {
      client.release();
    }
  };

  /** Makes statistics of the tables as they are, and keeps the server from making others. */
  const withPresentStatistics = async (run: () => Promise<void>) => {
    const tables = ["place", "token", "kept", "gate_event", "lane", "parked", "open_job", "job"];
    const setAll = async (setting: string) => {
      for (const table of tables) await pool().query(`alter table ${quoted}.${table} ${setting}`);
    };
    await setAll("set (autovacuum_enabled = off)");
    for (const table of tables) await pool().query(`vacuum analyze ${quoted}.${table}`);
    try {
      await run();
    } finally {
      await setAll("reset (autovacuum_enabled)");
    }
  };

  /** The pages of the schema's tables and indexes that a transaction reads. */
  const pagesRead = async (work: (tx: PoolClient) => Promise<unknown>): Promise<number> => {
    const client = await pool().connect();
    const read = async () => {
      const { rows } = await client.query<{ pages: number }>(
        `select sum(pg_stat_get_xact_blocks_fetched(c.oid))::integer as pages from pg_class c where c.relnamespace = $1::regnamespace`,
        [quoted],
      );
      return rows[0]?.pages ?? 0;
    };
    try {
      await client.query("begin");
      const before = await read();
      await work(client);
      const after = await read();
      await client.query("commit");
      return after - before;
    } finally {
      client.release();
    }
  };

  /** How many rows of each table a transaction writes for each of so many jobs. Less than one for each is not counted. */
  const rowsWritten = async (jobs: number, write: (tx: PoolClient) => Promise<unknown>) => {
    const client = await pool().connect();
    const read = async () => {
      const { rows } = await client.query<{ what: string; count: number }>(
        `select t.relname || ' ' || c.what as what, c.count::integer as count
        from pg_stat_xact_user_tables t,
          lateral (values ('inserts', n_tup_ins), ('updates', n_tup_upd), ('deletes', n_tup_del)) c(what, count)
        where t.schemaname = $1 order by t.relname, c.what`,
        [quoted.slice(1, -1)],
      );
      return rows;
    };
    try {
      await client.query("begin");
      const before = new Map((await read()).map(({ what, count }) => [what, count]));
      await write(client);
      const after = await read();
      await client.query("commit");
      return after.flatMap(({ what, count }) => {
        const each = Math.floor((count - (before.get(what) ?? 0)) / jobs);
        return each === 0 ? [] : [`${what} ${each}`];
      });
    } finally {
      client.release();
    }
  };

  /** Fills ten keys of two places, and ends their jobs; then retries jobs that keep their places. */
  const pagesOfRound = async (): Promise<Readonly<Record<string, number>>> => {
    const pages: Record<string, number> = {};
    let held: readonly ClaimedJob[] = [];
    let now = Date.now();
    const measure = async (what: string, outcomes: readonly Outcome[], limit: number, claimed: number) => {
      now += 2_000;
      const claim = limit === 0 ? undefined : { ...claimOf(["a"], limit), limited: true };
      pages[what] = await pagesRead(async (tx) => {
        held = (await store().exchange({ outcomes, claim }, { tx, now })).claimed;
      });
      expect(held, what).toHaveLength(claimed);
    };
    for (let n = 0; n < 10; n += 1) await startLimited(store(), 3, limits(["tenant", `key ${n}`]), { now });
    await measure("claim", [], 30, 20);
    const ends = held.map((each) => completed(each));
    await measure("look at full keys", [], 30, 0);
    await measure("settle", ends, 0, 0);
    await measure("claim of freed places", [], 30, 10);
    await measure(
      "settle and claim",
      held.map((each) => completed(each)),
      30,
      0,
    );
    for (let n = 0; n < 10; n += 1) {
      await startLimited(store(), 1, [{ limit: "tenant", key: `key ${n}`, holds: true }], { now });
    }
    await measure("claim of jobs that hold", [], 30, 10);
    await measure("settle that holds", held.map(retried), 0, 0);
    await measure("claim of retries", [], 30, 10);
    await measure(
      "settle retries",
      held.map((each) => completed(each)),
      0,
      0,
    );
    return pages;
  };

  /** The pages of a round beside jobs of other keys that run and wait, with statistics of before. */
  const compareBesideOthers = async () => {
    await withPresentStatistics(async () => {
      await declare(store(), { tenant: places(2) });
      const few = [await pagesOfRound(), await pagesOfRound()][1] ?? {};
      await pool().query(`
        insert into ${quoted}.place (gate, n, job_id)
        select 'tenant' || E'\\x01' || 'other ' || n, m, case m when 1 then gen_random_uuid() end
        from generate_series(1, 5000) n, generate_series(1, 2) m;
        insert into ${quoted}.lane (key, type_name, gates, state, weight, rank, turn, blocked_by, look_at)
        select gen_random_uuid(), 'a', array[p.gate], 2, 1, -1, 1, p.gate, 1e15 from ${quoted}.place p where p.gate ~ 'other' and p.n = 1`);
      const many = await pagesOfRound();
      for (const [what, pages] of Object.entries(many)) {
        expect(pages, JSON.stringify({ what, few, many })).toBeLessThanOrEqual(1.6 * (few[what] ?? 0));
      }
    });
  };

  it("writes for a job what a job without limits writes, its entry, its place and the turn of its lane", async () => {
    await declare(store(), { tenant: places(2) });
    const jobs = 50;
    const claim = { ...claimOf(["a"], jobs), limited: true };
    let claimed: readonly ClaimedJob[] = [];
    const run = async () => {
      for (let n = 0; n < jobs; n += 1) await startLimited(store(), 2, limits(["tenant", `key ${n}`]));
      // Half of them are in their lanes before.
      await claimLimited(store(), jobs);
      const taken = await rowsWritten(jobs, async (tx) => {
        claimed = (await store().exchange({ outcomes: [], claim }, { tx })).claimed;
      });
      const outcomes = claimed.map((each) => completed(each));
      const ended = await rowsWritten(
        jobs,
        async (tx) => await store().exchange({ outcomes, claim: undefined }, { tx }),
      );
      return { claimed: claimed.length, taken, ended };
    };
    await run();
    await pool().query(`delete from ${quoted}.open_job; update ${quoted}.place set job_id = null`);
    expect(await run()).toEqual({
      claimed: jobs,
      taken: ["lane updates 1", "open_job updates 1", "parked deletes 1", "place updates 1"],
      ended: ["job updates 1", "open_job deletes 1", "place updates 1"],
    });
  });

  it("writes less for a job in whose lane no other waits: neither its entry there nor the lane", async () => {
    await declare(store(), { tenant: places(2) });
    const keys = Array.from({ length: 50 }, (_, n) => limits(["tenant", `key ${n}`]));
    const start = async () =>
      await store().start([{ starts: keys.map((each) => job("a", { limits: each })) }], { now: Date.now() });
    const claim = { ...claimOf(["a"], keys.length), limited: true };
    await start();
    const { claimed: first } = await store().exchange({ outcomes: [], claim }, {});
    await store().settle(
      first.map((each) => completed(each)),
      {},
    );
    await start();
    let claimed: readonly ClaimedJob[] = [];
    const taken = await rowsWritten(keys.length, async (tx) => {
      ({ claimed } = await store().exchange({ outcomes: [], claim }, { tx }));
    });
    expect(claimed).toHaveLength(keys.length);
    expect(taken).toEqual(["open_job updates 1", "parked deletes 1", "place updates 1"]);
  });

  it("is shared by the jobs that a claim takes ahead of the slots, half of what it is asked for", async () => {
    await declare(store(), { tenant: places(2) });
    for (let n = 0; n < 50; n += 1) await startLimited(store(), 1, limits(["tenant", `key ${n}`]));
    expect(await claimLimited(store(), 45, { startable: 5 })).toHaveLength(25);
    // A busy worker has none free.
    expect(await claimLimited(store(), 20, { startable: 0 })).toHaveLength(10);
  });

  it("a busy worker takes jobs of open lanes ahead of its slots, also where others are in the inbox", async () => {
    await declare(store(), { tenant: places(100) });
    const waiting = await startLimited(store(), 30, limits(["tenant", "acme"]));
    const held = await claimLimited(store(), 4);
    // Their places are there already: a claim makes places once.
    await store().settle(
      held.map((each) => completed(each)),
      {},
    );
    await startLimited(store(), 2, limits(["tenant", "bee"]));
    const ahead = await claimLimited(store(), 20, { startable: 0 });
    expect(ahead.map(({ id }) => id)).toContain(waiting[4]);
  });

  it("is the same with ten keys and with ten thousand, and with many jobs that wait for another key (C7)", async () => {
    await fill(10, 10);
    const few = await pagesOfClaim(10);
    for (const table of ["job", "open_job", "parked", "lane"]) await pool().query(`truncate ${quoted}.${table}`);
    await fill(10_000, 30_000);
    const many = await pagesOfClaim(10);
    // Indexes are a level or two deeper.
    expect(many, `${few} pages with few keys`).toBeLessThanOrEqual(1.6 * few);
  });

  it("is the same beside many jobs that run and wait, if statistics were made while there were none", async () => {
    await compareBesideOthers();
  });

  it("is the same, if a transaction kept entries of earlier jobs in the indexes when they were made", async () => {
    await fill(10_000, 10);
    const old = await pool().connect();
    try {
      await old.query("begin isolation level repeatable read");
      await old.query("select 1");
      for (const table of ["lane", "parked", "open_job", "job"]) await pool().query(`delete from ${quoted}.${table}`);
      await compareBesideOthers();
    } finally {
      await old.query("rollback");
      old.release();
    }
  });
});

function retried({ id, fence }: ClaimedJob): Outcome {
  return {
    target: { jobId: id, workerId, fence },
    kind: "deferred",
    schedule: { afterMs: 10 },
    counted: true,
    errors: undefined,
  };
}
