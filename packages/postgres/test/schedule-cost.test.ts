import { findBackend } from "@chainwright/backends/vitest";
import type { StateAdapter } from "chainwright";
import { Pool, type PoolClient } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pg } from "../src/drivers/pg.ts";
import { createPostgresStateAdapter } from "../src/index.ts";
import { claimOf } from "./jobs.ts";
import { scaled } from "./scale.ts";
import { change, create, itemOf, said, scheduleOf, settings } from "./ticking.ts";

const url = await findBackend("postgres");
const pausedSchedules = scaled(20_000, 1_000_000);

/** Counts pages and statements, because a clock would measure the machine. Plans are made while the tables are empty. */
describe.skipIf(url === undefined)("the cost of schedules on Postgres", { timeout: 120_000 }, () => {
  const schema = `schedule cost ${process.pid}`;
  const tables = ["schedule", "tick"].map((table) => `"${schema}".${table}`);
  let pool: Pool;
  let store: StateAdapter<PoolClient>;
  let statements = 0;

  beforeAll(async () => {
    // One connection, whose pages are counted.
    pool = new Pool({ connectionString: url, max: 1 });
    const driver = pg(pool);
    const query: typeof driver.query = (...parameters) => {
      statements += 1;
      return driver.query(...parameters);
    };
    store = createPostgresStateAdapter({ driver: { ...driver, query }, schema });
    await store.migrate();
    for (const table of tables) await pool.query(`alter table ${table} set (autovacuum_enabled = off)`);
  }, 30_000);

  afterAll(async () => {
    await pool.query(`drop schema "${schema}" cascade`);
    await pool.end();
  });

  /** The pages of schedules, ticks and their indexes that the open transaction has read. */
  const pagesRead = async (): Promise<number> => {
    const { rows } = await pool.query<{ pages: string }>(
      `select sum(pg_stat_get_xact_blocks_fetched(r.oid)) as pages
      from (select unnest($1::regclass[]) as oid union all
        select i.indexrelid from pg_index i where i.indrelid = any($1::regclass[])) r`,
      [tables],
    );
    return Number(rows[0]?.pages);
  };

  const costOf = async (run: () => Promise<unknown>): Promise<{ pages: number; statements: number }> => {
    await pool.query("begin");
    const [pages, sent] = [await pagesRead(), statements];
    await run();
    const cost = { pages: (await pagesRead()) - pages, statements: statements - sent };
    await pool.query("commit");
    return cost;
  };

  const beat = () =>
    store.heartbeat(
      { workerId: "w", name: "w", typeNames: ["a"], concurrency: 1, holds: 0, aliveForMs: 60_000 },
      { now: 1_000 },
    );
  const claim = () => store.exchange({ outcomes: [], claim: claimOf(["a"], 10) }, {});

  it("a claim reads no schedule, and a heartbeat reads one page of an index where there are none", async () => {
    await Promise.all([claim(), beat()]);
    expect(await costOf(claim)).toEqual({ pages: 0, statements: 1 });
    const { pages, statements: sent } = await costOf(beat);
    expect(sent).toBe(1);
    expect(pages).toBeLessThanOrEqual(1);
    expect(await costOf(() => store.dueSchedules(100, { now: 1_000 }))).toEqual({ pages, statements: 1 });
  });

  it("B7: a heartbeat, a look and a tick read as many pages beside paused schedules as without them", async () => {
    await create(store, ["due"], 1_000);
    const tick = async (at: number) => {
      const item = itemOf(await scheduleOf(store, "due"), 1_000);
      const cost = await costOf(async () => expect(said(await store.tick([item], { now: at }))).toEqual(["started"]));
      expect(cost.statements).toBe(1);
      return cost.pages;
    };
    const look = () => store.dueSchedules(100, { now: 1_000_000 });
    for (const _ of Array.from({ length: 6 })) await Promise.all([beat(), look()]);
    await tick(1_000);
    const without = { beat: await costOf(beat), look: await costOf(look), tick: await tick(2_000) };
    await pool.query(`insert into "${schema}".schedule (id, revision, type_name, declared, paused_at, next_at, created_at, updated_at)
      select 'paused ' || n, 1, 'a', '{}', 1, n, 1, 1 from generate_series(1, ${pausedSchedules}) n`);
    const beside = { beat: await costOf(beat), look: await costOf(look), tick: await tick(3_000) };
    expect(beside.beat.statements + beside.look.statements).toBe(2);
    expect(beside.beat.pages).toBeLessThanOrEqual(without.beat.pages + 2);
    expect(beside.look.pages).toBeLessThanOrEqual(without.look.pages + 2);
    // The index of the ids has grown by two levels; it is read to find the schedule, and to lock it.
    expect(beside.tick).toBeLessThanOrEqual(without.tick + 20);
    expect((await look()).schedules.map(({ id }) => id)).toEqual(["due"]);
  });

  it("a look at the first of many that are due reads as many rows as it returns", async () => {
    const ids = Array.from({ length: 5_000 }, (_, index) => `s${String(index).padStart(4, "0")}`);
    const reviving = settings(500_000);
    await change(store, ...ids.map((id) => ({ id, from: undefined, to: reviving })));
    const { pages, statements: sent } = await costOf(() => store.dueSchedules(50, { now: 1_000_000 }));
    expect(sent).toBe(1);
    expect(pages).toBeLessThan(150);
  });

  it("a tick of 500 schedules is one statement, and so is a change of 500", async () => {
    const { schedules } = await store.dueSchedules(500, { now: 1_000_000 });
    expect(schedules).toHaveLength(500);
    const items = schedules.map((schedule) => itemOf(schedule, 10_000_000));
    const ticked = await costOf(async () => {
      expect(new Set(said(await store.tick(items, { now: 1_000_000 })))).toEqual(new Set(["started"]));
    });
    expect(ticked.statements).toBe(1);
    // Found, locked, advanced, and put on record in three indexes.
    expect(ticked.pages).toBeLessThan(500 * 30);
    const { schedules: next } = await store.dueSchedules(500, { now: 1_000_000 });
    expect(next.filter(({ id }) => schedules.some((before) => before.id === id))).toEqual([]);
    const paused = next.map(({ id, revision, nextAt }) => ({ id, from: { revision, nextAt }, to: settings(1) }));
    expect((await costOf(() => change(store, ...paused))).statements).toBe(1);
  });

  it("the schedules of an owner are found by an index, beside many of others", async () => {
    await pool.query(`analyze "${schema}".schedule`);
    const query = { owner: "deploy", after: undefined, limit: 500, order: "ascending" } as const;
    const { pages } = await costOf(() => store.listSchedules(query, { now: 1_000 }));
    expect(pages).toBeLessThan(10);
  });

  it("ticks of a chain and of a schedule are found by an index", async () => {
    await pool.query(`insert into "${schema}".tick (schedule_id, at, made_at, chain_id)
      select 'old ' || n % 100, n, 1, gen_random_uuid() from generate_series(1, 20000) n`);
    await pool.query(`analyze ${tables.join(", ")}`);
    const lastChainId = (await scheduleOf(store, "due")).lastChainId ?? "";
    const chains = await costOf(() => store.listTicks({ chainIds: [lastChainId] }, {}));
    expect(chains.pages).toBeLessThan(10);
    const page = await costOf(() => store.listTicks({ scheduleIds: ["old 7"], before: undefined, limit: 20 }, {}));
    expect(page.pages).toBeLessThan(40);
    const upkeep = { chore: "windows", completedMs: undefined, failedMs: undefined, limit: 100 } as const;
    const pass = await costOf(() => store.maintain(upkeep, { now: 20 * 86_400_000 }));
    expect(pass.pages).toBeLessThan(3_000);
  });
});
