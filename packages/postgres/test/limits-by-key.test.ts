import { findBackend } from "@chainwright/backends/vitest";
import type { ClaimedJob, Outcome } from "chainwright/adapter";
import { describe, expect, it } from "vitest";
import { claim, completed, job, workerId } from "./jobs.ts";
import {
  claimLimited,
  declare,
  exchangeLimited,
  fair,
  limits,
  openLimitStore,
  places,
  startLimited,
  tokens,
} from "./limit-stores.ts";

const url = await findBackend("postgres");

describe.skipIf(url === undefined)("limits by key on Postgres", { timeout: 30_000 }, () => {
  const { store, pool, quoted, read } = openLimitStore(url, "limits by key");

  const deferred = (
    { id, fence }: { readonly id: string; readonly fence: number },
    schedule: { readonly at: number },
  ): Outcome => ({
    target: { jobId: id, workerId, fence },
    kind: "deferred",
    schedule,
    counted: true,
    errors: undefined,
  });

  it("no more jobs of a key are leased than the limit says, and each end lets the next one in", async () => {
    await declare(store(), { tenant: places(2) });
    const ids = await startLimited(store(), 5, limits(["tenant", "acme"]));
    const first = await claimLimited(store(), 10);
    expect(first.map(({ id }) => id)).toEqual(ids.slice(0, 2));
    expect(first[0]?.limits).toEqual([{ limit: "tenant", key: "acme" }]);
    expect(await claimLimited(store(), 10)).toEqual([]);
    const [one] = first;
    const next = await claimLimited(store(), 10, { outcomes: one === undefined ? [] : [completed(one)] });
    expect(next.map(({ id }) => id)).toEqual(ids.slice(2, 3));
  });

  it("a claim that is not told to look for jobs under limits takes those that it puts into their lane itself", async () => {
    await declare(store(), { tenant: places(1) });
    const ids = await startLimited(store(), 2, limits(["tenant", "acme"]));
    const [first, ...more] = await claim(store(), ["a"], 10);
    expect([first?.id, more]).toEqual([ids[0], []]);
    await store().settle(first === undefined ? [] : [completed(first)], {});
    expect(await claim(store(), ["a"], 10)).toEqual([]);
    expect((await claimLimited(store(), 10)).map(({ id }) => id)).toEqual(ids.slice(1));
  });

  it("a job does not pass one of its key that waits, where no one has noticed yet that a place is free (C6)", async () => {
    await declare(store(), { tenant: places(1) });
    const now = Date.now();
    const at = (afterMs: number) => ({ now: now + afterMs });
    const ids = await startLimited(store(), 2, limits(["tenant", "acme"]), at(0));
    const [first] = await claimLimited(store(), 10, at(0));
    // As a transaction ends a job that does not see yet that the lane was closed.
    await read(`with gone as (delete from S.open_job where job_id = '${first?.id}' returning job_id)
      update S.place p set job_id = null from gone where p.job_id = gone.job_id returning 1`);
    ids.push(...(await startLimited(store(), 2, limits(["tenant", "acme"]), at(10))));
    expect(await claimLimited(store(), 10, at(10))).toEqual([]);
    const begun: string[] = [];
    for (let claims = 0; claims < 3; claims += 1) {
      const [next] = await claimLimited(store(), 10, at(1_000 + claims));
      if (next === undefined) break;
      begun.push(next.id);
      await store().settle([completed(next)], at(1_000 + claims));
    }
    expect(begun).toEqual(ids.slice(1));
  });

  it("a key behind the long backlog of a full one is not kept waiting while slots are free (C4)", async () => {
    await declare(store(), { tenant: places(1) });
    await startLimited(store(), 1_800, limits(["tenant", "acme"]));
    const [behind] = await startLimited(store(), 1, limits(["tenant", "bee"]));
    const begun: string[] = [];
    const waits: (number | undefined)[] = [];
    while (begun.length < 2 && waits.length < 10) {
      const { claimed, nextDueInMs } = await exchangeLimited(store(), 10);
      begun.push(...claimed.map(({ id }) => id));
      waits.push(nextDueInMs);
    }
    expect(begun).toContain(behind);
    expect(waits.slice(0, -1).every((wait) => wait === 0)).toBe(true);
  });

  it("upkeep removes the entry of a job whose row someone deleted by hand before a claim had looked at it", async () => {
    await declare(store(), { tenant: places(1) });
    await startLimited(store(), 3, limits(["tenant", "acme"]));
    expect(await read("select count(*)::int from S.parked")).toEqual([[2]]);
    await read("delete from S.open_job returning 1");
    await store().maintain({ limit: 100, completedMs: undefined, failedMs: undefined }, {});
    expect(await read("select count(*)::int from S.parked")).toEqual([[0]]);
  });

  it("a job under two limits begins when both have a place", async () => {
    await declare(store(), { all: places(3), tenant: places(2) });
    for (const key of ["a", "b", "c"]) await startLimited(store(), 3, limits(["all", "x"], ["tenant", key]));
    const claimed = await claimLimited(store(), 10);
    expect(claimed).toHaveLength(3);
    expect(await claimLimited(store(), 10)).toEqual([]);
    expect(await read("select count(*)::int from S.place where job_id is not null")).toEqual([[6]]);
    await store().settle(
      claimed.map((each) => completed(each)),
      {},
    );
    expect(await read("select count(*)::int from S.place where job_id is not null")).toEqual([[0]]);
    expect(await claimLimited(store(), 10)).toHaveLength(3);
  });

  it("a limit that no one has declared lets nothing through", async () => {
    await startLimited(store(), 1, limits(["tenant", "acme"]), { now: 1_000 });
    const { claimed, nextDueInMs } = await exchangeLimited(store(), 10, { now: 1_000 });
    expect([claimed, nextDueInMs]).toEqual([[], 1_000]);
    await declare(store(), { tenant: places(1) }, 1_100);
    expect(await claimLimited(store(), 10, { now: 1_101 })).toHaveLength(1);
  });

  it("in each span of a rate no more attempts begin than it says", async () => {
    await declare(store(), { smtp: tokens(3, 1_000) });
    await startLimited(store(), 10, limits(["smtp", "main"]), { now: 10_000 });
    const begun: number[] = [];
    for (let now = 10_000; now < 13_000; now += 100) {
      const claimed = await claimLimited(store(), 10, { now });
      begun.push(...claimed.map(() => now));
    }
    expect(begun).toEqual([10_000, 10_000, 10_000, 11_000, 11_000, 11_000, 12_000, 12_000, 12_000]);
  });

  it("an even rate spaces beginnings", async () => {
    await declare(store(), { smtp: tokens(4, 1_000, true) });
    await startLimited(store(), 10, limits(["smtp", "main"]), { now: 10_000 });
    const begun: number[] = [];
    for (let now = 10_000; now < 11_000; now += 50) {
      begun.push(...(await claimLimited(store(), 10, { now })).map(() => now));
    }
    expect(begun).toEqual([10_000, 10_250, 10_500, 10_750]);
  });

  it("a claim says when the next token of a rate is free", async () => {
    await declare(store(), { smtp: tokens(1, 400) });
    await startLimited(store(), 2, limits(["smtp", "main"]), { now: 10_000 });
    expect(await claimLimited(store(), 1, { now: 10_000 })).toHaveLength(1);
    expect((await exchangeLimited(store(), 1, { now: 10_100 })).nextDueInMs).toBe(300);
  });

  it("lanes take turns in proportion to their weights", async () => {
    await declare(store(), { tenant: fair });
    const start = (key: string, weight: number) => startLimited(store(), 40, [{ limit: "tenant", key, weight }]);
    await start("acme", 3);
    await start("other", 1);
    const counts = new Map<string, number>();
    for (let n = 0; n < 40; n += 1) {
      for (const { limits: under } of await claimLimited(store(), 1)) {
        const key = under?.[0]?.key ?? "";
        counts.set(key, (counts.get(key) ?? 0) + 1);
      }
    }
    expect([...counts]).toEqual([
      ["acme", 30],
      ["other", 10],
    ]);
  });

  it("a retry gives the place back, and one that holds it keeps later jobs waiting", async () => {
    await declare(store(), { order: places(1), other: places(1) });
    const now = 10_000;
    const held = await startLimited(store(), 2, [{ limit: "order", key: "1", holds: true }], { now });
    await startLimited(store(), 2, limits(["other", "1"]), { now });
    const [first, second] = await claimLimited(store(), 10, { now });
    if (first === undefined || second === undefined) throw new Error("two jobs begin");
    await store().settle([deferred(first, { at: now + 5_000 }), deferred(second, { at: now + 5_000 })], {
      now: now + 1,
    });
    const during = await claimLimited(store(), 10, { now: now + 2 });
    expect(during.map(({ limits: under }) => under?.[0]?.limit)).toEqual(["other"]);
    const later = await claimLimited(store(), 10, { now: now + 5_000 });
    expect(later.map(({ id }) => id)).toEqual(held.slice(0, 1));
  });

  it("a job whose lease has run out is taken over with its place and spends no token", async () => {
    const both = { concurrency: 1, rate: { count: 1, perMs: 1_000_000, spread: false } };
    await declare(store(), { smtp: both });
    const [id] = await startLimited(store(), 1, limits(["smtp", "main"]), { now: 10_000 });
    expect(await claimLimited(store(), 1, { now: 10_000 })).toHaveLength(1);
    const [again] = await claimLimited(store(), 1, { now: 10_000 + 30_000 });
    expect([again?.id, again?.attempt, again?.limits]).toEqual([id, 2, [{ limit: "smtp", key: "main" }]]);
    expect(await read("select count(*)::int from S.place where job_id is not null")).toEqual([[1]]);
  });

  it("a lowered limit stops no one, and nothing begins before fewer run than it says", async () => {
    await declare(store(), { tenant: places(5) });
    await startLimited(store(), 10, limits(["tenant", "acme"]));
    const running = [...(await claimLimited(store(), 5))];
    expect(running).toHaveLength(5);
    await store().changeLimits([{ kind: "override", limit: "tenant", key: "acme", rule: places(2) }], {});
    // The lowest places are free first.
    const { rows } = await pool().query<{ job_id: string }>(`select job_id from ${quoted}.place order by n`);
    const began: number[] = [];
    for (const { job_id: id } of rows) {
      const ended = running.find((each) => each.id === id);
      began.push((await claimLimited(store(), 10, { outcomes: ended === undefined ? [] : [completed(ended)] })).length);
    }
    expect(began).toEqual([0, 0, 0, 1, 1]);
    await store().changeLimits([{ kind: "reset", limit: "tenant", key: "acme" }], {});
    expect(await claimLimited(store(), 10)).toHaveLength(3);
  });

  it("while a key or a limit is paused nothing begins", async () => {
    await declare(store(), { tenant: places(5) });
    await startLimited(store(), 1, limits(["tenant", "acme"]), { now: 10_000 });
    await startLimited(store(), 1, limits(["tenant", "other"]), { now: 10_000 });
    await store().changeLimits([{ kind: "pause", limit: "tenant", key: "acme", forMs: 60_000 }], { now: 10_000 });
    const keysOf = async (now: number) =>
      (await claimLimited(store(), 10, { now })).map(({ limits: under }) => under?.[0]?.key);
    expect(await keysOf(10_001)).toEqual(["other"]);
    expect(await keysOf(20_000)).toEqual([]);
    await store().changeLimits([{ kind: "resume", limit: "tenant", key: "acme" }], { now: 20_001 });
    expect(await keysOf(20_002)).toEqual(["acme"]);
    await store().changeLimits([{ kind: "pause", limit: "tenant", key: undefined, forMs: undefined }], { now: 20_003 });
    await startLimited(store(), 1, limits(["tenant", "third"]), { now: 20_003 });
    expect(await keysOf(20_004)).toEqual([]);
    await store().changeLimits([{ kind: "resume", limit: "tenant", key: undefined }], { now: 20_005 });
    expect(await keysOf(20_006)).toEqual(["third"]);
  });

  it("a key whose tokens rest for long leaves nothing behind once they have rested", async () => {
    await declare(store(), { smtp: tokens(1, 3_600_000) }, 0);
    await startLimited(store(), 1, limits(["smtp", "main"]), { now: 0 });
    const held = await claimLimited(store(), 1, { now: 0 });
    await exchangeLimited(store(), 1, { now: 0, outcomes: held.map((each) => completed(each)) });
    const rowsLeftAt = async (now: number) => {
      for (const limit of [100, 100])
        await store().maintain({ limit, completedMs: undefined, failedMs: undefined }, { now });
      return read(
        "select (select count(*)::integer from S.lane), (select count(*)::integer from S.place), (select count(*)::integer from S.token)",
      );
    };
    expect(await rowsLeftAt(1_800_000)).toEqual([[1, 1, 1]]);
    expect(await rowsLeftAt(3_600_000)).toEqual([[0, 0, 0]]);
  });

  it("a change of a limit that is not known is refused", async () => {
    const changes = [
      { kind: "pause", limit: "tenant", key: "acme", forMs: 1 },
      { kind: "override", limit: "tenant", key: "acme", rule: places(1) },
      { kind: "reset", limit: "tenant", key: "acme" },
    ] as const;
    expect(await store().changeLimits(changes, {})).toEqual([false, true, true]);
  });
});

describe.skipIf(url === undefined)("many keys of a limit on Postgres", { timeout: 30_000 }, () => {
  const { store } = openLimitStore(url, "many keys");

  /** Claims as long as the store says that there is more to claim at this moment, as a worker does. */
  const claimNow = async (now: number): Promise<readonly ClaimedJob[]> => {
    const begun: ClaimedJob[] = [];
    for (;;) {
      const { claimed, nextDueInMs } = await exchangeLimited(store(), 1_000, { now });
      begun.push(...claimed);
      if (claimed.length < 1_000 && nextDueInMs !== 0) return begun;
    }
  };
  const startTwoOfEach = async (keys: number) => {
    const starts = Array.from({ length: 2 * keys }, (_, n) => job("a", { limits: limits(["tenant", `k${n % keys}`]) }));
    await store().start([{ starts }], { now: 10_000 });
  };

  it("places that become free at the same moment are all taken at that moment, however many", async () => {
    await declare(store(), { tenant: places(1) });
    await startTwoOfEach(600);
    const first = await claimNow(10_000);
    expect(first).toHaveLength(600);
    await store().settle(
      first.map((each) => completed(each)),
      { now: 10_100 },
    );
    expect(await claimNow(10_100)).toHaveLength(600);
  });

  it("a limit that is raised lets the next job of each full key begin within a second, however many keys are full", async () => {
    await declare(store(), { tenant: places(1) });
    await startTwoOfEach(1_200);
    expect(await claimNow(10_000)).toHaveLength(1_200);
    await declare(store(), { tenant: places(2) });
    const atOnce = await claimNow(10_100);
    expect([...atOnce, ...(await claimNow(11_100))]).toHaveLength(1_200);
  });
});
