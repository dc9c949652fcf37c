import { randomUUID } from "node:crypto";
import { startPostgres, type Server } from "@chainwright/backends";
import { findBackend } from "@chainwright/backends/vitest";
import type { StateAdapter } from "chainwright";
import { Client, Pool, type PoolClient } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pg } from "../src/drivers/pg.ts";
import { createPostgresStateAdapter } from "../src/index.ts";
import { claim, claimOf, completed, job, jobs } from "./jobs.ts";
import { createPageMeter } from "./page-meter.ts";
import { scaled } from "./scale.ts";

const url = await findBackend("postgres");

const manyWaits = scaled(20_000, 1_000_000);

/** Counts the pages that calls read, because a clock would measure the machine. On a server of its own, so that vacuum removes rows. */
describe.skipIf(url === undefined)("the cost of steps that wait", { timeout: 600_000 }, () => {
  const schema = `signal cost ${process.pid}`;
  const s = `"${schema}"`;
  let server: Server;
  let pool: Pool;
  let store: StateAdapter<PoolClient>;
  let meter: ReturnType<typeof createPageMeter>;

  beforeAll(async () => {
    server = await startPostgres({ settings: { fsync: "off" } });
    // One connection, whose statements are measured.
    pool = new Pool({ connectionString: server.url, max: 1 });
    store = createPostgresStateAdapter({ driver: pg(pool), schema });
    await store.migrate();
    meter = createPageMeter(pool, schema);
  });

  afterAll(async () => {
    await pool.end();
    await server.stop();
  });

  /** Half of the waiting steps, every other one until a moment, and signals for another step that their chains have. */
  const fill = async (from: number) => {
    await pool.query(`
      create table ${s}.filled as select n, ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid as id
        from generate_series(${from + 1}, ${from + manyWaits / 2}) n;
      insert into ${s}.job (id, chain_id, step, type_name, priority, on_blocker_failure, status, chain_status, attempt, position,
        created_at, due_at, input, waits, received, signals)
      select id, id, 1, 'w', 0, 0, 0, 0, 0, n, 0, case when n % 2 = 0 then 8e15 end, '{}', '{"topics":["many"]}', '[]', true from ${s}.filled;
      insert into ${s}.open_job (job_id, chain_id, position, due_at, leased_until, step, attempt, blockers_left, state, rank,
        has_blockers, type_name, waits)
      select id, id, n, 8e15, 0, 1, 0, 0, 2 - (n + 1) % 2, -1, false, 'w', true from ${s}.filled;
      insert into ${s}.topic (topic, job_id) select 'many', id from ${s}.filled;
      insert into ${s}.signal (chain_id, position, type_name, name, payload, at) select id, 1, 'later', 'go', '{}', 0 from ${s}.filled;
      select setval('${s}.position', ${from + manyWaits / 2});
      drop table ${s}.filled`);
    for (const table of ["open_job", "job", "topic", "signal"]) await pool.query(`vacuum analyze ${s}.${table}`);
  };

  /** The pages that each kind of call reads, on its own connection, whose plans are there. */
  const play = async (): Promise<Record<string, number>> => {
    const { pages, measure } = meter();
    const go = () => ({ typeName: "w", signal: "go", payload: "{}", signalId: randomUUID(), context: undefined });
    const waiting = Array.from({ length: 10 }, () => job("w", { waits: { until: undefined, topics: ["t"] } }));
    await measure("begin to wait", () => store.start([{ starts: waiting }], {}));
    await measure("signal", () =>
      store.signal(
        waiting.slice(1).map(({ id: chainId }) => ({ chainId, ...go() })),
        {},
      ),
    );
    await measure("publish", () => store.signal([{ topic: "t", keepMs: 0, ...go() }], {}));
    const woken = await measure("claim what was woken", () => claim(store, ["w"], 20));
    expect(woken).toHaveLength(10);
    await store.settle(
      woken.map((each) => completed(each)),
      {},
    );
    await store.start([{ starts: jobs(10, "a") }], {});
    const held = await measure("claim", () => claim(store, ["a", "w"], 10));
    expect(held).toHaveLength(10);
    await measure("settle", () =>
      store.settle(
        held.map((each) => completed(each)),
        {},
      ),
    );
    await measure("claim nothing", () => store.exchange({ outcomes: [], claim: claimOf(["a", "w"], 10) }, {}));
    return pages;
  };

  it(`calls read no more pages beside ${manyWaits.toLocaleString("en")} steps that wait than beside half as many (E8)`, async () => {
    await play();
    const without = await play();
    await fill(0);
    await play();
    const half = await play();
    await fill(manyWaits / 2);
    await play();
    const beside = await play();
    const facts = JSON.stringify({ without, half, beside });
    for (const [what, pages] of Object.entries(beside)) {
      // What grows with their number is twice as much. Where random ids fall decides about a page here and there: at full scale three of 74.
      expect(pages, `${what}, twice as many: ${facts}`).toBeLessThanOrEqual(Math.ceil(1.1 * (half[what] ?? 0)));
      // Indexes are one or two levels deeper than those of empty tables.
      expect(pages, `${what}: ${facts}`).toBeLessThanOrEqual(2 * (without[what] ?? 0) + 8);
    }
  });

  it("a publication reads only once what an old snapshot keeps of earlier waits for its topic", async () => {
    const snapshot = new Client({ connectionString: server.url });
    await snapshot.connect();
    await snapshot.query("begin isolation level repeatable read");
    await snapshot.query("select 1");
    const entries = async () => {
      const { rows } = await pool.query<{ entries: number }>(
        "select pg_stat_get_xact_tuples_returned($1::regclass)::integer as entries",
        [`${s}.topic_pkey`],
      );
      return rows[0]?.entries ?? 0;
    };
    const [rounds, each] = [20, 50];
    let read = 0;
    for (let round = 0; round < rounds; round += 1) {
      const waits = { until: undefined, topics: ["hot"] };
      await store.start([{ starts: jobs(each, "w", { waits }) }], {});
      await pool.query("begin");
      const before = await entries();
      const publication = { typeName: "w", signal: "go", payload: "{}", signalId: randomUUID(), context: undefined };
      const reply = await store.signal([{ topic: "hot", keepMs: 0, ...publication }], {});
      read = (await entries()) - before;
      await pool.query("commit");
      expect(reply).toMatchObject({ ok: true, value: [{ reached: each }] });
      const woken = await claim(store, ["w"], each);
      expect(woken).toHaveLength(each);
      await store.settle(
        woken.map((held) => completed(held)),
        {},
      );
    }
    await snapshot.query("rollback");
    await snapshot.end();
    expect(read).toBeGreaterThanOrEqual(each);
    expect(read).toBeLessThanOrEqual(2 * rounds * each);
  });
});
