import { startPostgres, type Server } from "@chainwright/backends";
import { findBackend } from "@chainwright/backends/vitest";
import type { StateAdapter } from "chainwright";
import type { Chore } from "chainwright/adapter";
import { Client, Pool, type PoolClient } from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { pg } from "../src/drivers/pg.ts";
import { createPostgresStateAdapter } from "../src/index.ts";
import { claim, completed, job, jobs } from "./jobs.ts";
import { scaled } from "./scale.ts";
import {
  endedJobs,
  failedOutcome,
  measuredPass,
  pagesRead,
  readNumber,
  settleAll,
  type Pass,
  type PassDetails,
} from "./upkeep-passes.ts";

const url = await findBackend("postgres");
const day = 86_400_000;

/**
 * Counts the pages that upkeep reads, because a clock would measure the machine. On a server of its own: transactions of other tests
 * would keep it from passing by what they may still change.
 */
describe.skipIf(url === undefined)("upkeep of a Postgres store", { timeout: 120_000 }, () => {
  let server: Server;
  let schema: string;
  let quoted: string;
  let pool: Pool;
  let elsewhere: Pool;
  let store: StateAdapter<PoolClient>;
  let others: StateAdapter<PoolClient>;
  let made = 0;

  beforeAll(async () => {
    server = await startPostgres({ settings: { fsync: "off" } });
    // One connection, whose statements are measured.
    pool = new Pool({ connectionString: server.url, max: 1 });
    elsewhere = new Pool({ connectionString: server.url, max: 4 });
  });

  afterAll(async () => {
    await Promise.all([pool.end(), elsewhere.end()]);
    await server.stop();
  });

  beforeEach(async () => {
    schema = `upkeep ${process.pid} ${(made += 1)}`;
    quoted = `"${schema}"`;
    store = createPostgresStateAdapter({ driver: pg(pool), schema });
    others = createPostgresStateAdapter({ driver: pg(elsewhere), schema });
    await store.migrate();
  });

  const opened: Client[] = [];

  /** Another connection, which a test may leave in a transaction. */
  const connect = async (): Promise<Client> => {
    const client = new Client({ connectionString: server.url });
    opened.push(client);
    await client.connect();
    return client;
  };

  afterEach(async () => {
    await Promise.all(opened.splice(0).map((client) => client.end()));
    // A test that failed may have left it in a transaction.
    await pool.query("rollback");
    await pool.query(`drop schema ${quoted} cascade`);
  });

  const number = (text: string) => readNumber(pool, text);
  const rowsOf = (table: string) => number(`select count(*) from ${quoted}.${table}`);
  const pass = (chore: Chore, details: PassDetails) => measuredPass({ pool, quoted, store }, chore, details);

  it("looks once at chains that stay, and not again", async () => {
    const later = Date.now() + 10 * day;
    await settleAll(store, 3_000, failedOutcome);
    await settleAll(store, 200, (held) => completed(held));
    let removed = 0;
    for (let reply: Pass | undefined; reply?.more !== false;) {
      reply = await pass("retention", { completedMs: day, now: later });
      removed += reply.removed;
    }
    expect(removed).toBe(200);
    // Only now no earlier transaction can start a chain among them.
    await pass("retention", { completedMs: day, now: later + 40_000 });
    // Ten more chains have expired. Neither that pass nor one that finds nothing reads the three thousand.
    await settleAll(store, 10, (held) => completed(held));
    const some = await pass("retention", { completedMs: day, now: later + day });
    expect(some.removed).toBe(10);
    expect(some.pages).toBeLessThan(1_200);
    const none = await pass("retention", { completedMs: day, now: later + 2 * day });
    expect(none).toMatchObject({ removed: 0, more: false });
    expect(none.pages).toBeLessThan(60);
    // They are found once they have expired.
    expect(await pass("retention", { completedMs: day, failedMs: day, now: later + 2 * day })).toMatchObject({
      removed: 1_000,
      more: true,
    });
  });

  it("costs the same while an old snapshot keeps all deleted rows", async () => {
    const snapshot = await connect();
    await snapshot.query("begin isolation level repeatable read");
    await snapshot.query("select 1");
    const pages: Record<string, number[]> = {};
    let now = Date.now();
    const rounds = scaled(24, 200);
    let removed = 0;
    for (let round = 0; round < rounds; round += 1) {
      // Chains that retention passes while they are active, chains that fail, and keys with windows.
      const deduplication = (index: number) => ({ key: `${round} ${index}`, scope: "any", windowMs: 1_000 }) as const;
      await store.start(
        [{ starts: Array.from({ length: 250 }, (_, index) => job("a", { deduplication: deduplication(index) })) }],
        { now },
      );
      now += day;
      await pass("retention", { completedMs: 1, failedMs: 1, now });
      const held = await claim(store, ["a"], 250);
      for (const [index, each] of held.entries()) {
        // Half of them end in transactions of their own, each with a change of the tally.
        if (index % 2 === 0) await store.settle([index % 10 === 0 ? failedOutcome(each) : completed(each)], { now });
      }
      const rest = held.filter((_, index) => index % 2 === 1);
      await store.settle(
        rest.map((each) => completed(each)),
        { now },
      );
      now += 3 * day;
      for (const chore of ["retention", "windows", "workers", "tally"] as const) {
        const reply = await pass(chore, { completedMs: 1, failedMs: 1, now });
        (pages[chore] ??= []).push(reply.pages);
        removed += reply.removed;
      }
      await pool.query("begin");
      const before = await pagesRead({ pool, quoted }, "tally%");
      await store.count({});
      (pages["count"] ??= []).push((await pagesRead({ pool, quoted }, "tally%")) - before);
      await pool.query("commit");
    }
    await snapshot.query("rollback");
    expect(removed).toBe(250 * rounds);
    const mean = (list: readonly number[]) => list.reduce((sum, each) => sum + each, 0) / list.length;
    for (const [chore, list] of Object.entries(pages)) {
      const [early, late] = [mean(list.slice(2, 6)), mean(list.slice(-4))];
      // Every pass here looks from the beginning, as one does every half minute. About eighty deleted keys are a page of the
      // index and of the table.
      expect(late, `${chore}: ${list.join(" ")}`).toBeLessThan(1.5 * early + 60 + removed / 50);
    }
  });

  it("does not skip again what earlier passes have deleted, however much that is", async () => {
    const snapshot = await connect();
    await snapshot.query("begin isolation level repeatable read");
    await snapshot.query("select 1");
    await pool.query(`insert into ${quoted}.deduplication (key, chain_id, scope, until)
      select 'key ' || n, gen_random_uuid(), 1, n from generate_series(1, 20000) n`);
    const [now, pages] = [Date.now(), [] as number[]];
    for (let more = true; more;) {
      const reply = await pass("windows", { limit: 500, now });
      ({ more } = reply);
      if (more) pages.push(reply.pages);
    }
    await snapshot.query("rollback");
    expect(pages).toHaveLength(40);
    expect(await rowsOf("deduplication")).toBe(0);
    // A pass from the beginning would read about ten pages more for each earlier pass.
    expect(pages.at(-1), pages.join(" ")).toBeLessThan((pages[1] ?? 0) + 150);
  });

  it("adds up every end of a job in bounded passes, and then counts without the changes", async () => {
    const count = scaled(3_000, 25_000);
    for (let left = count; left > 0; left -= 500) {
      await store.start([{ starts: jobs(500, "a") }], {});
      const held = await claim(store, ["a"], 500);
      // Concurrently, like handlers with transactions of their own.
      const lanes = Array.from({ length: 4 }, (_, lane) => held.filter((_each, index) => index % 4 === lane));
      await Promise.all(
        lanes.map(async (lane) => {
          for (const each of lane) await others.settle([completed(each)], {});
        }),
      );
    }
    expect(await rowsOf("tally_change")).toBe(count);
    let passes = 1;
    while ((await pass("tally", { limit: 100 })).more) passes += 1;
    expect(passes).toBeLessThanOrEqual(count / 1_000 + 1);
    expect(await rowsOf("tally_change")).toBe(0);
    expect(await store.count({})).toMatchObject([{ typeName: "a", status: "completed", count }]);
    expect(await rowsOf("tally")).toBe(1);
  });

  it("counts the jobs that a long transaction has ended from its commit on, and misses none", async () => {
    await store.start([{ starts: jobs(30, "a") }], {});
    const held = await claim(store, ["a"], 30);
    const slow = await connect();
    await slow.query("begin");
    await others.settle(
      held.slice(0, 1).map((each) => completed(each)),
      { tx: slow as unknown as PoolClient },
    );
    let now = Date.now();
    // Meanwhile many others end, and upkeep continues far past them.
    for (const each of held.slice(1)) {
      await others.settle([completed(each)], {});
      now += 40_000;
      await pass("tally", { now });
    }
    expect(await endedJobs(store)).toBe(29);
    await slow.query("commit");
    expect(await endedJobs(store)).toBe(30);
    for (let round = 0; round < 3; round += 1) await pass("tally", { now: (now += 40_000) });
    expect(await rowsOf("tally_change")).toBe(0);
    expect(await endedJobs(store)).toBe(30);
  });

  it("finds a chain that a long transaction has started at a position that it has passed", async () => {
    const slow = await connect();
    await slow.query("begin");
    const late = job("late");
    await others.start([{ starts: [late] }], { tx: slow as unknown as PoolClient });
    let now = Date.now() + 1_000;
    for (let round = 0; round < 5; round += 1) {
      await settleAll(store, 10, (held) => completed(held));
      now += 40_000;
      await pass("retention", { completedMs: 0, now });
    }
    await slow.query("commit");
    const [held] = await claim(store, ["late"], 1);
    if (held === undefined) throw new Error("it is claimed");
    await store.settle([completed(held)], {});
    let removed = 0;
    for (let round = 0; round < 4; round += 1)
      removed += (await pass("retention", { completedMs: 0, now: (now += day) })).removed;
    expect(removed).toBe(1);
    expect(await store.getChains([late.id], {})).toEqual([undefined]);
  });

  it("works in a database that was restored on a server with lower transaction ids", async () => {
    await settleAll(store, 20, (held) => completed(held));
    const now = Date.now() + day;
    await pass("tally", { now });
    await pool.query(`update ${quoted}.meta set noted_xid = '9000000000000000000'`);
    await settleAll(store, 20, (held) => completed(held));
    for (let round = 1; round <= 3; round += 1) {
      await pass("tally", { now: now + round * 40_000 });
      await pass("retention", { completedMs: 0, now: now + round * 40_000 });
    }
    expect(await rowsOf("job")).toBe(0);
    const settled = await number(`select settled_position from ${quoted}.meta`);
    const floor = await number(`select floor from ${quoted}.upkeep where chore = 'tally'`);
    expect(settled).toBeGreaterThan(20);
    expect(floor).toBeGreaterThan(0);
    for (let round = 4; round <= 6; round += 1) await pass("tally", { now: now + round * 40_000 });
    expect(await rowsOf("tally_change")).toBe(0);
    expect(await store.count({})).toEqual([]);
  });

  it("does the other chores if one of them is refused", async () => {
    await pool.query(
      `create function ${quoted}.refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$`,
    );
    await pool.query(`create trigger refuse before delete on ${quoted}.job execute function ${quoted}.refuse()`);
    await store.start([{ starts: [job("a", { deduplication: { key: "k", scope: "any", windowMs: 1 } })] }], {});
    const [held] = await claim(store, ["a"], 1);
    if (held === undefined) throw new Error("it is claimed");
    await store.settle([completed(held)], {});
    const heartbeat = { workerId: "w", name: "w", typeNames: [], concurrency: 1, holds: 0, aliveForMs: 1 };
    await store.heartbeat(heartbeat, {});
    const all = { completedMs: 0, failedMs: 0, limit: 100 };
    await expect(store.maintain(all, { now: Date.now() + 2 * day })).rejects.toThrow("refused");
    expect(await rowsOf("job")).toBe(1);
    for (const table of ["deduplication", "worker", "tally_change"]) expect(await rowsOf(table)).toBe(0);
  });

  it("gives every table a primary key", async () => {
    const { rows } = await pool.query<{ relname: string }>(
      `select c.relname from pg_class c where c.relnamespace = '${quoted}'::regnamespace and c.relkind = 'r'
        and not exists (select from pg_index i where i.indrelid = c.oid and i.indisprimary)`,
    );
    expect(rows).toEqual([]);
  });
});
