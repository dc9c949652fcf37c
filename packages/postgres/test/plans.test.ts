import { findBackend } from "@chainwright/backends/vitest";
import type { StateAdapter } from "chainwright";
import { openJobStatuses, type ClaimedJob, type JobQuery, type Outcome } from "chainwright/adapter";
import { Pool } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pg } from "../src/drivers/pg.ts";
import { createPostgresStateAdapter } from "../src/index.ts";
import { claim, completed, job, jobs, workerId } from "./jobs.ts";
import { createPageMeter } from "./page-meter.ts";

const url = await findBackend("postgres");

/**
 * Plans are made once per connection. A plan that was made while a table was empty stays until statistics are gathered, and reading an
 * empty table completely is cheap. So the cost is counted after many jobs were started.
 */
describe.skipIf(url === undefined).each(["never looked at", "found empty by vacuum"])(
  "plans made on tables that were %s",
  { timeout: 60_000 },
  (state) => {
    const schema = `plans ${state} ${process.pid}`;
    const tables = ["open_job", "job", "blocker", "deduplication"].map((table) => `"${schema}".${table}`);
    let pool: Pool;
    let elsewhere: Pool;
    let store: StateAdapter;

    beforeAll(async () => {
      [pool, elsewhere] = [0, 1].map(() => new Pool({ connectionString: url, max: 1 })) as [Pool, Pool];
      store = createPostgresStateAdapter({ driver: pg(pool), schema }) as StateAdapter;
      await store.migrate();
      for (const table of tables) await pool.query(`alter table ${table} set (autovacuum_enabled = off)`);
      if (state === "found empty by vacuum") await pool.query(`vacuum analyze ${tables.join(", ")}`);
    }, 30_000);

    afterAll(async () => {
      await pool.query(`drop schema "${schema}" cascade`);
      await Promise.all([pool.end(), elsewhere.end()]);
    });

    /** The pages of these tables and their indexes that the open transaction of the pool's connection has read. */
    const pagesRead = async (): Promise<number> => {
      const { rows } = await pool.query<{ pages: string }>(
        `select sum(pg_stat_get_xact_blocks_fetched(r.oid)) as pages
        from (select unnest($1::regclass[]) as oid union all
          select i.indexrelid from pg_index i where i.indrelid = any($1::regclass[])) r`,
        [tables],
      );
      return Number(rows[0]?.pages);
    };

    /** Makes every kind of call once, on a few jobs. Returns the pages that each has read. */
    const play = async () => {
      const pages: Record<string, number> = {};
      const measure = async <T>(what: string, run: () => Promise<T>): Promise<T> => {
        await pool.query("begin");
        const before = await pagesRead();
        const value = await run();
        pages[what] = (await pagesRead()) - before;
        await pool.query("commit");
        return value;
      };
      const settle = (what: string, outcomes: readonly Outcome[]) =>
        measure(what, async () => {
          const replies = await store.settle(outcomes, {});
          expect(replies.map(({ status }) => status)).toEqual(outcomes.map(() => "settled"));
        });
      const end = (held: readonly ClaimedJob[]) => held.map((each) => completed(each));
      const continued = ({ id: jobId, fence }: ClaimedJob, next = job("later")): Outcome => {
        return { target: { jobId, workerId, fence }, kind: "continued", next };
      };

      const started = jobs(16, "a");
      await measure("start many", () => store.start([{ starts: started }], {}));
      await measure("start one", () => store.start([{ starts: [job("a")] }], {}));
      const held = await measure("claim", () => claim(store, ["a"], 10));
      expect(held).toHaveLength(10);
      const leases = held.map(({ id: jobId, fence }) => ({ jobId, fence, leaseMs: 30_000 }));
      await measure("renew", () => store.renew({ workerId, held: leases }, {}));
      const [first, second, third, fourth, ...rest] = held as [ClaimedJob, ClaimedJob, ClaimedJob, ClaimedJob];
      const target = { jobId: first.id, workerId, fence: first.fence };
      const schedule = { afterMs: 1_000_000 };
      await settle("put off", [{ target, kind: "deferred", schedule, counted: true, errors: undefined }]);
      await measure("trigger", () => store.trigger([first.id], {}));
      await settle("settle one", end([second]));
      await settle("continue one", [continued(third)]);
      const blocker = { chainId: started.at(-1)?.id ?? "", typeName: "a" };
      await settle("continue many", [continued(fourth, job("later", { blockers: [blocker] }))]);
      await settle("settle many", end(rest));

      const parts = jobs(3, "part");
      await store.start([{ starts: parts }], {});
      const blockers = parts.map(({ id }) => ({ chainId: id, typeName: "part" }));
      const deduplication = { key: `${Math.random()}`, scope: "active", windowMs: undefined } as const;
      const join = job("join", { blockers, deduplication });
      await measure("start blocked", () => store.start([{ starts: [join] }], {}));
      const [part, ...others] = (await claim(store, ["part"], 3)) as [ClaimedJob];
      await settle("settle a blocker", end([part]));
      await settle("settle blockers", end(others));
      await settle("settle joined", end(await measure("claim joined", () => claim(store, ["join"], 1))));

      const dependent = job("join", { blockers: [{ start: job("part") }] });
      const inline = dependent.blockers.flatMap((each) => ("start" in each ? [each.start.id] : []));
      await store.start([{ starts: [dependent] }], {});
      const ids = [dependent.id, ...inline];
      const cancelled = inline.map((chainId) => ({ chainId, reason: "" }));
      await measure("cancel", () => store.cancel(cancelled, {}));
      expect((await store.getChains(ids, {})).map((chain) => chain?.status)).toEqual(["failed", "cancelled"]);
      const retried = inline.map((chainId) => ({ chainId, input: undefined, typeName: undefined }));
      await measure("retry", () => store.retry(retried, {}));
      await measure("remove", () => store.remove({ chainIds: ids, cascade: true }, {}));
      return pages;
    };

    it("stay the same when there are many jobs", async () => {
      for (let round = 0; round < 2; round += 1) await play();
      const many = createPostgresStateAdapter({ driver: pg(elsewhere), schema });
      for (let batch = 0; batch < 10; batch += 1) await many.start([{ starts: jobs(1_000, "a") }], {});
      await many.start([{ starts: jobs(500, "b", { blockers: [{ start: job("c") }] }) }], {});
      const pages = await play();
      // Sixteen starts read the most: each writes two rows and the entries of three indexes.
      expect(Object.entries(pages).filter(([, read]) => read > 250)).toEqual([]);
    });
  },
);

const openJobs: JobQuery = {
  statuses: openJobStatuses,
  ids: undefined,
  typeNames: undefined,
  chainId: undefined,
  blockedBy: undefined,
  createdFrom: undefined,
  createdBefore: undefined,
  errorText: undefined,
  after: undefined,
  limit: 20,
  order: "ascending",
};

describe.skipIf(url === undefined)("a page of all open jobs", { timeout: 60_000 }, () => {
  it("is read without the others, also by a planner that would rather join all of them", async () => {
    const schema = `plans of lists ${process.pid}`;
    // As it does with 100,000 rows of usual width and no statistics.
    const pool = new Pool({ connectionString: url, max: 1, options: "-c enable_nestloop=off -c enable_mergejoin=off" });
    const store = createPostgresStateAdapter({ driver: pg(pool), schema });
    try {
      await store.migrate();
      for (let batch = 0; batch < 5; batch += 1) await store.start([{ starts: jobs(1_000, "a") }], {});
      const { pages, measure } = createPageMeter(pool, schema)(["job", "open_job"]);
      expect(await measure("list", () => store.listJobs(openJobs, {}))).toHaveLength(20);
      expect(pages["list"]).toBeLessThan(120);
    } finally {
      await pool.query(`drop schema "${schema}" cascade`);
      await pool.end();
    }
  });
});
