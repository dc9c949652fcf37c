import { startPostgres, type Server } from "@chainwright/backends";
import { findBackend } from "@chainwright/backends/vitest";
import type { StateAdapter } from "chainwright";
import { openJobStatuses } from "chainwright/adapter";
import { Pool, type PoolClient } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pg } from "../src/drivers/pg.ts";
import { createPostgresStateAdapter } from "../src/index.ts";
import { claim, completed, job, jobs } from "./jobs.ts";
import { createPageMeter } from "./page-meter.ts";

const url = await findBackend("postgres");

const others = 5_000;

const anyJob = {
  typeNames: undefined,
  statuses: undefined,
  ids: undefined,
  chainId: undefined,
  blockedBy: undefined,
  createdFrom: undefined,
  createdBefore: undefined,
  errorText: undefined,
  after: undefined,
  order: "descending",
  limit: 10,
} as const;

/**
 * Autovacuum gathers statistics at night, when all jobs have ended and few of the pages of their tables hold a row. The plans that are made by
 * them have to do for the load of the day. Pages are counted, because a clock would measure the machine.
 */
describe.skipIf(url === undefined)("with statistics of a quiet moment", { timeout: 120_000 }, () => {
  const schema = `quiet ${process.pid}`;
  const s = `"${schema}"`;
  let server: Server;
  let pool: Pool;
  let store: StateAdapter<PoolClient>;

  beforeAll(async () => {
    server = await startPostgres({ settings: { fsync: "off", autovacuum: "off" } });
    // One connection, whose statements are measured.
    pool = new Pool({ connectionString: server.url, max: 1 });
    store = createPostgresStateAdapter({ driver: pg(pool), schema });
    await store.migrate();
  });

  afterAll(async () => {
    await pool.end();
    await server.stop();
  });

  /** Jobs of other types: they are ready, wait for a topic, are delayed, or are blocked by chains of their own. */
  const startOthers = async (count: number) => {
    for (let n = 0; n < count; n += 500) {
      await store.start([{ starts: jobs(500, "other") }], {});
      await store.start([{ starts: jobs(500, "later", { schedule: { afterMs: 10_000_000 } }) }], {});
      await store.start(
        [{ starts: jobs(500, "waiting", { waits: { until: undefined, topics: [`topic ${n}`] } }) }],
        {},
      );
      const withParts = Array.from({ length: 500 }, () => job("join", { blockers: [{ start: job("part") }] }));
      await store.start([{ starts: withParts }], {});
    }
  };

  const cancelAll = async () => {
    for (;;) {
      const { rows } = await pool.query<{ id: string }>(`select distinct chain_id as id from ${s}.open_job limit 500`);
      if (rows.length === 0) return;
      await store.cancel(
        rows.map(({ id: chainId }) => ({ chainId, reason: undefined })),
        {},
      );
    }
  };

  const play = async (): Promise<Readonly<Record<string, number>>> => {
    const { pages, measure } = createPageMeter(pool, schema)();
    const waits = { until: undefined, topics: ["mine"] };
    const mine = jobs(5, "mine");
    const firstId = mine[0]?.id ?? "";
    const dependent = job("dependent", { blockers: [{ start: job("own") }] });
    const waiting = jobs(5, "mine", { waits });
    await measure("start", () => store.start([{ starts: mine }], {}));
    await measure("start with a blocker", () => store.start([{ starts: [dependent] }], {}));
    await measure("begin to wait", () => store.start([{ starts: waiting }], {}));
    await measure("get jobs", () => store.getJobs([firstId], {}));
    await measure("get chains", () => store.getChains([firstId], {}));
    await measure("list open jobs by id", () =>
      store.listJobs({ ...anyJob, statuses: openJobStatuses, ids: [dependent.id] }, {}),
    );
    await measure("list open jobs", () => store.listJobs({ ...anyJob, statuses: openJobStatuses }, {}));
    await measure("list blocked jobs of a while", () =>
      store.listJobs({ ...anyJob, statuses: ["blocked"], createdFrom: Date.now() - 60_000 }, {}),
    );
    await measure("list what comes first", () =>
      store.listDue({ typeNames: undefined, after: undefined, limit: 10 }, {}),
    );
    await measure("count blockers", () => store.countBlockers({ of: "job", id: dependent.id }, {}));
    await measure("list blockers", () =>
      store.listBlockers({ jobId: dependent.id, afterPosition: undefined, limit: 10 }, {}),
    );
    const held = await measure("claim", () => claim(store, ["mine"], 5));
    expect(held).toHaveLength(5);
    await measure("settle", () =>
      store.settle(
        held.map((each) => completed(each)),
        {},
      ),
    );
    const chainIds = waiting.map(({ id }) => id);
    const chainId = chainIds[0] ?? "";
    await measure("cancel a wait", () => store.cancel([{ chainId, reason: undefined }], {}));
    await measure("retry a wait", () => store.retry([{ chainId, input: undefined, typeName: undefined }], {}));
    await measure("cancel with blockers", () =>
      store.cancel([{ chainId: dependent.id, reason: undefined, blockers: "cancel" }], {}),
    );
    await measure("remove", () => store.remove({ chainIds, cascade: false }, {}));
    return pages;
  };

  it("no call reads the rows of other jobs", async () => {
    await startOthers(others);
    await cancelAll();
    // The pages stay, as they do where a row is left in the last one.
    await pool.query("vacuum (analyze, truncate off)");
    await play();
    const few = await play();
    await startOthers(others);
    const many = await play();
    for (const [what, pages] of Object.entries(many)) {
      expect(pages, `${what}: ${JSON.stringify({ few, many })}`).toBeLessThanOrEqual(3 * (few[what] ?? 0) + 400);
    }
  });
});
