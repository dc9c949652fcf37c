import { findBackend } from "@chainwright/backends/vitest";
import type { ClaimedJob } from "chainwright/adapter";
import { describe, expect, it } from "vitest";
import { claim, completed, job, workerId } from "./jobs.ts";
import { claimLimited, declare, limits, openLimitStore, places, startLimited, tokens } from "./limit-stores.ts";
import { scaled } from "./scale.ts";

const url = await findBackend("postgres");

const manyKeys = scaled(20, 1_000_000);
const atOnce = scaled(10, 500);

describe.skipIf(url === undefined)("jobs under limits on Postgres", { timeout: 30_000 }, () => {
  const { store, pool, quoted, read } = openLimitStore(url, "limited jobs");

  it("a job that waits in its lane is ready for everyone who reads, and counts as limited", async () => {
    await declare(store(), { tenant: places(1) });
    const ids = await startLimited(store(), 3, limits(["tenant", "acme"]));
    const before = await store().getJobs(ids, {});
    expect(before.map((each) => [each?.status, each?.limits?.[0]?.key])).toEqual(ids.map(() => ["ready", "acme"]));
    await claimLimited(store(), 10);
    expect((await store().getJobs(ids, {})).map((each) => each?.status)).toEqual(["running", "ready", "ready"]);
    const counts = await store().count({});
    expect(counts.find(({ status }) => status === "ready")).toMatchObject({
      count: 2,
      limited: 2,
      oldestReadyMs: undefined,
    });
    expect(await store().countAhead(ids[2] ?? "", 10, {})).toBe(1);
    const [record] = await store().listLimits({ limit: 10 }, {});
    expect(record).toMatchObject({ limit: "tenant", key: "acme", running: 1, waiting: 2, isOverridden: false });
    expect(record?.rule).toEqual(places(1));
  });

  it("continuations, released jobs, triggered and retried ones wait in lanes like starts", async () => {
    await declare(store(), { tenant: places(1) });
    const under = limits(["tenant", "acme"]);
    const [holder] = await startLimited(store(), 1, under);
    const [running] = await claimLimited(store(), 1);
    if (running === undefined) throw new Error(`${holder} begins`);
    const first = job("b");
    const blocked = job("a", { limits: under, blockers: [{ start: job("c") }] });
    const later = job("a", { limits: under, schedule: { afterMs: 1_000_000 } });
    await store().start([{ starts: [first, blocked, later] }], {});
    const [b] = await claim(store(), ["b"], 1);
    const [c] = await claim(store(), ["c"], 1);
    if (b === undefined || c === undefined) throw new Error("both begin");
    const next = job("a", { limits: under });
    const target = { jobId: b.id, workerId, fence: b.fence };
    const [continued] = await store().settle([{ target, kind: "continued", next }], {});
    expect(continued).toMatchObject({ status: "settled", started: [{ jobId: next.id, status: "ready" }] });
    const [released] = await store().settle([completed(c)], {});
    expect(released).toMatchObject({ unblocked: [{ jobId: blocked.id, status: "ready" }] });
    await store().trigger([later.id], {});
    const order: string[] = [];
    let current: typeof running | undefined = running;
    while (current !== undefined) {
      const claimed: readonly ClaimedJob[] = await claimLimited(store(), 10, { outcomes: [completed(current)] });
      expect(claimed.length).toBeLessThanOrEqual(1);
      [current] = claimed;
      if (current !== undefined) order.push(current.id);
    }
    expect(order).toEqual([blocked.id, later.id, next.id]);
  });

  it("a chain that failed is retried under its limits", async () => {
    await declare(store(), { tenant: places(1) });
    const ids = await startLimited(store(), 2, limits(["tenant", "acme"]));
    const [first] = await claimLimited(store(), 1);
    if (first === undefined) throw new Error("one begins");
    const target = { jobId: first.id, workerId, fence: first.fence };
    await store().settle([{ target, kind: "failed", errors: "[]" }], {});
    await store().retry([{ chainId: ids[0] ?? "", input: undefined, typeName: "a" }], {});
    const claimed = await claimLimited(store(), 10);
    expect(claimed.map(({ id }) => id)).toEqual(ids.slice(0, 1));
  });

  it("a cancelled and a deleted job give their places back", async () => {
    await declare(store(), { tenant: places(2) });
    const ids = await startLimited(store(), 4, limits(["tenant", "acme"]));
    expect(await claimLimited(store(), 10)).toHaveLength(2);
    await store().cancel([{ chainId: ids[0] ?? "", reason: "" }], {});
    await store().remove({ chainIds: ids.slice(1, 2), cascade: false }, {});
    expect((await claimLimited(store(), 10)).map(({ id }) => id)).toEqual(ids.slice(2));
  });

  it(
    "keys that come and go leave nothing behind after upkeep",
    async () => {
      await declare(store(), { tenant: places(2), smtp: tokens(2, 1_000) });
      const now = 10_000;
      for (let first = 0; first < manyKeys; first += atOnce) {
        const keys = Array.from({ length: Math.min(atOnce, manyKeys - first) }, (_, n) => `${first + n}`);
        const starts = keys.map((key) => job("a", { limits: limits(["smtp", key], ["tenant", key]) }));
        await store().start([{ starts }], { now });
        const claimed = await claimLimited(store(), atOnce, { now });
        expect(claimed).toHaveLength(keys.length);
        await store().settle(
          claimed.map((each) => completed(each)),
          { now },
        );
      }
      expect(await claimLimited(store(), 30, { now: now + 1 })).toEqual([]);
      const upkeep = {
        chore: "workers",
        completedMs: undefined,
        failedMs: undefined,
        limit: scaled(10, 1_000),
      } as const;
      for (let more = true; more;) more = (await store().maintain(upkeep, { now: now + 70_000 })).more;
      expect(
        await read(
          "select (select count(*) from S.lane)::int, (select count(*) from S.place)::int, (select count(*) from S.token)::int",
        ),
      ).toEqual([[0, 0, 0]]);
    },
    scaled(30_000, 3_600_000),
  );

  it("upkeep frees the place of a job whose row someone deleted by hand", async () => {
    await declare(store(), { tenant: places(1) });
    await startLimited(store(), 2, limits(["tenant", "acme"]));
    const [first] = await claimLimited(store(), 10);
    await claimLimited(store(), 10);
    await pool().query(`delete from ${quoted}.open_job where job_id = $1`, [first?.id]);
    expect(await claimLimited(store(), 10)).toEqual([]);
    const upkeep = { chore: "workers", completedMs: undefined, failedMs: undefined, limit: 10 } as const;
    expect(await store().maintain(upkeep, {})).toEqual({ removed: 0, more: false, repaired: 1 });
    expect(await claimLimited(store(), 10)).toHaveLength(1);
    expect(await store().maintain(upkeep, {})).toEqual({ removed: 0, more: false });
  });
});
