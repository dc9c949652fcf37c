import { startPostgres, type Server } from "@chainwright/backends";
import { findBackend } from "@chainwright/backends/vitest";
import type { StateAdapter } from "chainwright";
import type { Outcome } from "chainwright/adapter";
import { Pool } from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { pg } from "../src/drivers/pg.ts";
import { createPostgresStateAdapter } from "../src/index.ts";
import { claim, claimOf, job, jobs, workerId } from "./jobs.ts";

const url = await findBackend("postgres");

/** Claims remember where they found their first rows. What they remember says nothing about types that were paused. */
describe.skipIf(url === undefined)("where claims begin to look after a pause", { timeout: 60_000 }, () => {
  let server: Server;
  let pool: Pool;
  let store: StateAdapter;

  beforeAll(async () => {
    server = await startPostgres({ settings: { fsync: "off" } });
    pool = new Pool({ connectionString: server.url, max: 1 });
    await createPostgresStateAdapter({ driver: pg(pool) }).migrate();
  }, 60_000);

  afterAll(async () => {
    await pool.end();
    await server.stop();
  });

  afterEach(() => {
    vi.restoreAllMocks();
  });

  beforeEach(async () => {
    await pool.query("truncate chainwright.open_job, chainwright.job, chainwright.pause");
    store = createPostgresStateAdapter({ driver: pg(pool) }) as StateAdapter;
  });

  const pause = (forMs?: number) =>
    store.setPauses({ pauses: [{ typeName: "paused", reason: undefined, by: undefined, forMs }], resume: [] }, {});
  const resume = () => store.setPauses({ pauses: [], resume: ["paused"] }, {});
  /** Rows that claims have to skip, and some to claim, so that the claim remembers where it found them. */
  const startWork = async () => {
    await store.start([{ starts: jobs(2_000, "work") }], {});
    await claim(store, ["work"], 2_000);
    await store.start([{ starts: jobs(20, "work") }], {});
  };
  const both = ["work", "paused"];
  const claimAt = async (typeNames: readonly string[], limit: number, now: number) =>
    (await store.exchange({ outcomes: [], claim: claimOf(typeNames, limit) }, { now })).claimed.map(({ id }) => id);

  it.each([0, -5, 5])("does not hide a job of priority %d behind the rows that a claim skipped", async (priority) => {
    const hidden = job("paused", { priority });
    await store.start([{ starts: [hidden] }], {});
    await pause();
    await startWork();
    for (let each = 0; each < 5; each += 1) expect(await claim(store, both, 1)).toHaveLength(1);
    await resume();
    expect((await claim(store, both, 30)).map(({ id }) => id)).toContain(hidden.id);
  });

  it.each([0, -5, 5])(
    "does not hide a job of priority %d from a worker that did not name its type",
    async (priority) => {
      const hidden = job("paused", { priority });
      await store.start([{ starts: [hidden] }], {});
      await pause();
      await startWork();
      for (let each = 0; each < 5; each += 1) expect(await claim(store, ["work"], 1)).toHaveLength(1);
      await resume();
      expect((await claim(store, both, 30)).map(({ id }) => id)).toContain(hidden.id);
    },
  );

  it("does not hide a job that became due while claims named its type", async () => {
    const now = Date.now();
    const hidden = job("paused", { schedule: { afterMs: 10_000 } });
    await store.start([{ starts: [hidden] }], { now });
    await startWork();
    // It looks from the beginning, and remembers places of both types.
    await claimAt(both, 1, now);
    await pause();
    for (let each = 0; each < 5; each += 1) expect(await claimAt(both, 1, now + 15_000 + each)).toHaveLength(1);
    await resume();
    expect(await claimAt(both, 30, now + 20_000)).toContain(hidden.id);
  });

  it("does not hide a job that became due while a worker did not name its type", async () => {
    const now = Date.now();
    const hidden = job("paused", { schedule: { afterMs: 10_000 } });
    await store.start([{ starts: [hidden] }], { now });
    await startWork();
    await claimAt(both, 1, now);
    await pause();
    // It is time to look from the beginning, which makes due jobs of all types ready.
    const began = performance.now();
    vi.spyOn(performance, "now").mockImplementation(() => began + 60_000);
    for (let each = 0; each < 5; each += 1) expect(await claimAt(["work"], 1, now + 15_000 + each)).toHaveLength(1);
    await resume();
    expect(await claimAt(both, 30, now + 20_000)).toContain(hidden.id);
  });

  it("does not hide a job that this process handed back because its type was paused", async () => {
    await store.start([{ starts: [job("paused")] }], {});
    const [held] = await claim(store, ["paused"], 1);
    if (held === undefined) throw new Error("no job was claimed");
    await startWork();
    await claim(store, both, 1);
    await pause();
    const target = { jobId: held.id, workerId, fence: held.fence };
    const handedBack: Outcome = { target, kind: "deferred", schedule: undefined, counted: false, errors: undefined };
    await store.exchange({ outcomes: [handedBack], claim: undefined }, {});
    for (let each = 0; each < 5; each += 1) expect(await claim(store, both, 1)).toHaveLength(1);
    await resume();
    expect((await claim(store, both, 30)).map(({ id }) => id)).toContain(held.id);
  });

  it("does not hide a job whose pause ended by itself", async () => {
    const now = Date.now();
    const hidden = job("paused");
    await store.start([{ starts: [hidden] }], { now });
    await pause(5_000);
    await startWork();
    for (let each = 0; each < 5; each += 1) expect(await claimAt(both, 1, now)).toHaveLength(1);
    expect(await claimAt(both, 30, now + 10_000)).toContain(hidden.id);
  });
});
