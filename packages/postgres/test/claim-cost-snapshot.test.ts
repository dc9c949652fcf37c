import { startPostgres, type Server } from "@chainwright/backends";
import { findBackend } from "@chainwright/backends/vitest";
import type { StateAdapter } from "chainwright";
import type { ClaimedJob, Outcome } from "chainwright/adapter";
import { Client, Pool, type PoolClient } from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { pg } from "../src/drivers/pg.ts";
import { createPostgresStateAdapter } from "../src/index.ts";
import { inboxLane } from "../src/limits/tables.ts";
import { claim, claimOf, completed, job, jobs, workerId } from "./jobs.ts";
import { claimLimited, declare, fair, limits, places } from "./limit-stores.ts";

const url = await findBackend("postgres");

/** Counts what a claim reads, because a clock would measure the machine. On a server of its own, with no other snapshots. */
describe.skipIf(url === undefined)("the cost of a claim while an old snapshot is open", { timeout: 120_000 }, () => {
  const schema = `claim cost under a snapshot ${process.pid}`;
  const quoted = `"${schema}"`;
  let server: Server;
  let pool: Pool;
  let store: StateAdapter<PoolClient>;
  let snapshot: Client;

  beforeAll(async () => {
    server = await startPostgres({ settings: { fsync: "off" } });
    // One connection, whose statements are measured.
    pool = new Pool({ connectionString: server.url, max: 1 });
    await createPostgresStateAdapter({ driver: pg(pool), schema }).migrate();
  });

  afterAll(async () => {
    await pool.end();
    await server.stop();
  });

  beforeEach(async () => {
    await pool.query(`truncate ${quoted}.open_job, ${quoted}.job`);
    store = createPostgresStateAdapter({ driver: pg(pool), schema });
    snapshot = new Client({ connectionString: server.url });
    await snapshot.connect();
    await snapshot.query("begin isolation level repeatable read");
    await snapshot.query("select 1");
  });

  afterEach(async () => {
    await snapshot.end();
  });

  /** The entries of this index that the open transaction has read. */
  const entriesRead = async (index: string): Promise<number> => {
    const { rows } = await pool.query<{ entries: string }>(
      "select pg_stat_get_xact_tuples_returned($1::regclass)::text as entries",
      [`${quoted}.${index}`],
    );
    return Number(rows[0]?.entries);
  };

  it("does not grow with all rows that have been deleted", async () => {
    const pages: number[] = [];
    const read = async () => {
      const { rows } = await pool.query<{ pages: string }>(
        "select (pg_stat_get_xact_blocks_fetched($1::regclass) + pg_stat_get_xact_blocks_fetched($2::regclass))::text as pages",
        [`${quoted}.open_job`, `${quoted}.open_job_ready`],
      );
      return Number(rows[0]?.pages);
    };
    for (let round = 0; round < 20; round += 1) {
      await store.start([{ starts: jobs(1_000, "type-0") }], {});
      let held = await claim(store, ["type-0"], 100);
      await pool.query("begin");
      const before = await read();
      const reply = await store.exchange({ outcomes: [], claim: claimOf(["type-0"], 100) }, {});
      pages.push((await read()) - before);
      await pool.query("commit");
      held = [...held, ...reply.claimed];
      while (held.length > 0) {
        const outcomes = held.map((each) => completed(each));
        held = [...(await store.exchange({ outcomes, claim: claimOf(["type-0"], 100) }, {})).claimed];
      }
    }
    // Some claims look from the beginning; the others matter here.
    expect(median(pages.slice(10)), pages.join(" ")).toBeLessThanOrEqual(1.2 * median(pages.slice(0, 3)));
  });

  it("does not grow with the rows of delayed, deferred and urgent jobs", async () => {
    const rows: number[] = [];
    const read = async () => {
      const { rows: counts } = await pool.query<{ rows: string }>(
        `select sum(pg_stat_get_xact_tuples_returned(indexrelid))::text as rows from pg_index where indrelid = $1::regclass`,
        [`${quoted}.open_job`],
      );
      return Number(counts[0]?.rows);
    };
    let now = Date.now();
    const types = ["plain", "delayed", "urgent"];
    const exchange = (outcomes: readonly Outcome[]) =>
      store.exchange({ outcomes, claim: claimOf(types, 100) }, { now: (now += 2_000) });
    for (let round = 0; round < 40; round += 1) {
      const starts = [
        ...jobs(100, "plain"),
        ...jobs(100, "delayed", { schedule: { afterMs: 500 } }),
        ...jobs(20, "urgent", { priority: 5 }),
      ];
      await store.start([{ starts }], { now });
      let held = await exchange([]);
      // Each third job is deferred once.
      let outcomes = held.claimed.map((each, n) => (n % 3 === 0 ? deferred(each, now + 500) : completed(each)));
      await pool.query("begin");
      const before = await read();
      held = await exchange(outcomes);
      rows.push((await read()) - before);
      await pool.query("commit");
      while (held.claimed.length > 0) {
        outcomes = held.claimed.map((each) => completed(each));
        held = await exchange(outcomes);
      }
    }
    expect(median(rows.slice(30)), rows.join(" ")).toBeLessThanOrEqual(1.5 * median(rows.slice(10, 20)));
  });

  it("does not grow with the rows of jobs under limits that others claim", async () => {
    await declare(store, { tenant: places(1_000) });
    // Another process, which handles other types.
    const idle = createPostgresStateAdapter({ driver: pg(pool), schema });

    const rows: number[] = [];
    const read = () => entriesRead("open_job_ready");
    const under = limits(["tenant", "x"]);
    for (let round = 0; round < 24; round += 1) {
      await store.start(
        [
          {
            starts: [
              ...jobs(250, "limited", { limits: under }),
              ...jobs(250, "limited", { limits: under, priority: 3 }),
            ],
          },
        ],
        {},
      );
      let held = await claimLimited(store, 250, { types: ["limited"] });
      while (held.length > 0) {
        await pool.query("begin");
        const before = await read();
        await idle.exchange({ outcomes: [], claim: claimOf(["none"], 10) }, {});
        rows.push((await read()) - before);
        await pool.query("commit");
        held = await claimLimited(store, 250, { types: ["limited"], outcomes: held.map((each) => completed(each)) });
      }
    }
    // A look from the beginning reads them all, and is rare.
    expect(rows.length).toBeGreaterThanOrEqual(48);
    expect(median(rows.slice(-20)), rows.join(" ")).toBeLessThanOrEqual(1_000);
  });

  it("does not grow with the entries of jobs that have begun from the inbox", async () => {
    await declare(store, { tenant: fair });
    const rows: number[] = [];
    const held: ClaimedJob[] = [];
    for (let round = 0; round < 12; round += 1) {
      for (let call = 0; call < 5; call += 1) {
        const of = (n: number) => job("limited", { limits: limits(["tenant", `${n}`]) });
        await store.start([{ starts: Array.from({ length: 100 }, (_, n) => of(n)) }], {});
      }
      for (let claims = 0; claims < 10; claims += 1) {
        await pool.query("begin");
        const before = await entriesRead("parked_pkey");
        const outcomes = held.splice(0).map((each) => completed(each));
        held.push(...(await claimLimited(store, 50, { types: ["limited"], outcomes })));
        rows.push((await entriesRead("parked_pkey")) - before);
        await pool.query("commit");
      }
    }
    const { rows: lanes } = await pool.query(`select from ${quoted}.parked where lane <> ${inboxLane}`);
    expect(lanes).toHaveLength(0);
    // A look from the beginning reads them all, and is rare.
    expect(median(rows.slice(-40)), rows.join(" ")).toBeLessThanOrEqual(2_000);
  });

  it("does not grow with releases that are done", async () => {
    const rows: number[] = [];
    const read = () => entriesRead("release_pkey");
    for (let round = 0; round < 20; round += 1) {
      await store.start([{ starts: jobs(1_000, "type-0") }], {});
      // As calls leave them that found the waiting jobs locked.
      await pool.query(`insert into ${quoted}.release (position, chain_id, from_id, until_id)
        select nextval('${quoted}.position'), j.id, j.id, j.id from (select id from ${quoted}.job where status = 1 limit 300) j`);
      let held = await claim(store, ["type-0"], 100);
      while (held.length > 0) {
        const outcomes = held.map((each) => completed(each));
        await pool.query("begin");
        const before = await read();
        held = [...(await store.exchange({ outcomes, claim: claimOf(["type-0"], 100) }, {})).claimed];
        rows.push((await read()) - before);
        await pool.query("commit");
      }
    }
    const { rows: pending } = await pool.query(`select from ${quoted}.release`);
    expect(pending).toHaveLength(0);
    // A look from the beginning reads them all, and is rare.
    expect(median(rows.slice(-40)), rows.join(" ")).toBeLessThanOrEqual(1_000);
  });
});

function median(list: readonly number[]): number {
  return list.toSorted((left, right) => left - right)[list.length >> 1] ?? 0;
}

function deferred({ id, fence }: ClaimedJob, at: number): Outcome {
  return {
    target: { jobId: id, workerId, fence },
    kind: "deferred",
    schedule: { at },
    counted: true,
    errors: undefined,
  };
}
