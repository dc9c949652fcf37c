import { setTimeout } from "node:timers/promises";
import { expect, it } from "vitest";
import { jobStart } from "../store.ts";
import {
  claimOf,
  claimed,
  complete,
  declare,
  limit,
  limitedStore,
  putBack,
  rule,
  runningOf,
  startAll,
} from "./limited-store.ts";

const many = (count: number, key: string) => Array.from({ length: count }, () => ({ limits: [limit("tenant", key)] }));

it("begins as many jobs of a key as it has places, and the next ones when they end", async () => {
  const store = await limitedStore();
  await declare(store, { tenant: { concurrency: 2 } });
  const ids = await startAll(store, many(5, "acme"));
  const first = await claimed(store);
  expect(first.map(({ id }) => id)).toEqual(ids.slice(0, 2));
  expect(first[0]?.limits).toEqual([{ limit: "tenant", key: "acme" }]);
  expect(await claimed(store)).toEqual([]);
  expect(await runningOf(store, "tenant", "acme")).toBe(2);
  await complete(store, first.slice(0, 1));
  const second = await claimed(store);
  expect(second.map(({ id }) => id)).toEqual(ids.slice(2, 3));
  await complete(store, [...first.slice(1), ...second]);
  const third = await claimed(store);
  expect(third.map(({ id }) => id)).toEqual(ids.slice(3));
  await complete(store, third);
  expect(await runningOf(store, "tenant", "acme")).toBe(0);
});

it("finds a limited job without being told if it puts it into its lane itself", async () => {
  const store = await limitedStore();
  await declare(store, { tenant: { concurrency: 1 } });
  await startAll(store, many(1, "acme"));
  expect(await claimed(store, { limited: undefined })).toHaveLength(1);
});

it("puts a job into its lane if the start before it in the same call, the first under limits, was undone", async () => {
  const store = await limitedStore();
  const limits = [limit("tenant", "acme")];
  const missing = [{ chainId: "missing", typeName: undefined }];
  const refused = { starts: [jobStart({ limits }), jobStart({ limits, blockers: missing })] };
  const replies = await store.start([refused, { starts: [jobStart({ limits })] }], {});
  expect(replies.map(({ ok }) => ok)).toEqual([false, true]);
  expect(await claimed(store)).toEqual([]);
  await declare(store, { tenant: { concurrency: 1 } });
  expect(await claimed(store)).toHaveLength(1);
});

it("shows a job in a lane as ready, counts it as limited and knows how many are before it", async () => {
  const store = await limitedStore();
  await declare(store, { tenant: { concurrency: 1 } });
  const ids = await startAll(store, many(4, "acme"));
  expect(await store.countAhead(ids[3] ?? "", 10, {})).toBe(3);
  await claimed(store);
  const records = await store.getJobs(ids, {});
  expect(records.map((job) => job?.status)).toEqual(["running", "ready", "ready", "ready"]);
  expect(records[1]?.limits).toEqual([{ limit: "tenant", key: "acme" }]);
  expect(await store.countAhead(ids[3] ?? "", 10, {})).toBe(2);
  const counts = await store.count({});
  expect(counts).toMatchObject([
    { status: "ready", count: 3, limited: 3, oldestReadyMs: undefined },
    { status: "running", count: 1 },
  ]);
  const [record] = await store.listLimits({ limit: 10 }, {});
  expect(record).toMatchObject({
    limit: "tenant",
    key: "acme",
    running: 1,
    waiting: 3,
    rule: rule({ concurrency: 1 }),
  });
});

it("lets keys take turns, in proportion to their weights", async () => {
  const store = await limitedStore();
  await declare(store, { fair: {} });
  const starts = (key: string, weight: number) =>
    Array.from({ length: 20 }, () => ({ input: JSON.stringify(key), limits: [limit("fair", key, { weight })] }));
  await startAll(store, [...starts("heavy", 3), ...starts("light", 1)]);
  const keys: string[] = [];
  for (let n = 0; n < 8; n++) keys.push(...(await claimed(store, { limit: 1 })).map(({ input }) => input));
  expect(keys.filter((key) => key === '"heavy"')).toHaveLength(6);
  const eight = await claimed(store, { limit: 8 });
  expect(eight.filter(({ input }) => input === '"heavy"')).toHaveLength(6);
});

it("never begins more jobs in a window than a rate allows", async () => {
  const store = await limitedStore();
  await declare(store, { smtp: { rate: { count: 2, perMs: 200, spread: false } } });
  await startAll(
    store,
    Array.from({ length: 3 }, () => ({ limits: [limit("smtp", "main")] })),
  );
  const first = await claimOf(store);
  expect(first.claimed).toHaveLength(2);
  expect(first.nextDueInMs).toBeGreaterThan(100);
  await complete(store, first.claimed);
  expect(await claimed(store)).toEqual([]);
  await setTimeout(first.nextDueInMs);
  expect(await claimed(store)).toHaveLength(1);
});

it("begins no job whose limit no worker has declared, and looks again", async () => {
  const store = await limitedStore();
  await startAll(store, many(1, "acme"));
  const { claimed: none, nextDueInMs } = await claimOf(store);
  expect([none, nextDueInMs]).toEqual([[], 1_000]);
  await declare(store, { tenant: { concurrency: 1 } });
  expect(await claimed(store)).toHaveLength(1);
});

it("gives the place back for the time of a retry, unless the job keeps it", async () => {
  const store = await limitedStore();
  await declare(store, { tenant: { concurrency: 1 } });
  const start = (key: string, holds: boolean) => ({ limits: [limit("tenant", key, { holds })] });
  const ids = await startAll(store, [start("a", false), start("a", false), start("b", true), start("b", true)]);
  const first = await claimed(store);
  expect(first.map(({ id }) => id)).toEqual([ids[0], ids[2]]);
  await putBack(store, first, 50);
  expect((await store.getJobs([ids[2] ?? ""], {}))[0]?.status).toBe("scheduled");
  expect(await runningOf(store, "tenant", "b")).toBe(1);
  const second = await claimed(store);
  expect(second.map(({ id }) => id)).toEqual([ids[1]]);
  await setTimeout(60);
  expect((await claimed(store)).map(({ id }) => id)).toEqual([ids[2]]);
  expect(await runningOf(store, "tenant", "b")).toBe(1);
  await putBack(store, second);
  expect((await claimed(store)).map(({ id }) => id)).toEqual([ids[0]]);
});

it("waits for the rate of another limit with a job that has kept its place, and lets no later job of its key before it", async () => {
  const store = await limitedStore();
  await declare(store, {
    order: { concurrency: 1 },
    smtp: { rate: { count: 1, perMs: 150, spread: false } },
  });
  const start = { limits: [limit("order", "o", { holds: true }), limit("smtp", "main")] };
  const ids = await startAll(store, [start, start]);
  const first = await claimed(store);
  await putBack(store, first);
  expect(await claimed(store)).toEqual([]);
  expect((await store.getJobs(ids, {})).map((job) => job?.status)).toEqual(["ready", "ready"]);
  await setTimeout(160);
  const again = await claimed(store);
  expect(again.map(({ id }) => id)).toEqual([ids[0]]);
  await complete(store, again);
  await setTimeout(160);
  expect((await claimed(store)).map(({ id }) => id)).toEqual([ids[1]]);
});

it("keeps the place when another worker takes the job over, and gives it back when the chain is cancelled", async () => {
  const store = await limitedStore();
  await declare(store, { tenant: { concurrency: 1 } });
  const ids = await startAll(store, many(2, "acme"));
  await claimed(store, { leaseMs: 0 });
  const [taken] = await claimed(store, { workerId: "other" });
  expect([taken?.id, taken?.attempt]).toEqual([ids[0], 2]);
  expect(await runningOf(store, "tenant", "acme")).toBe(1);
  await store.cancel([{ chainId: ids[0] ?? "", reason: undefined }], {});
  expect((await claimed(store)).map(({ id }) => id)).toEqual([ids[1]]);
});

it("opens a lane of every claim name when a place becomes free", async () => {
  const store = await limitedStore();
  await declare(store, { shared: { concurrency: 1 } });
  const start = (typeName: string) => ({ typeName, limits: [limit("shared", "one")] });
  await startAll(store, [start("a"), start("b"), start("c")]);
  const [running] = await claimed(store, { types: ["a", "b", "c"] });
  expect(running?.typeName).toBe("a");
  expect(await claimed(store, { types: ["b", "c"] })).toEqual([]);
  await complete(store, running === undefined ? [] : [running]);
  expect(await claimed(store, { types: ["c"] })).toHaveLength(1);
});

it("begins a retried chain and a job that was blocked under their limits", async () => {
  const store = await limitedStore();
  await declare(store, { tenant: { concurrency: 1 } });
  const [blocker = ""] = await startAll(store, [{ typeName: "blocker" }]);
  const blockers = [{ chainId: blocker, typeName: undefined }];
  const ids = await startAll(store, [...many(1, "acme"), { blockers, limits: [limit("tenant", "acme")] }]);
  const first = await claimed(store, { types: ["a", "blocker"] });
  await complete(store, first);
  const [unblocked] = await claimed(store);
  expect(unblocked?.id).toBe(ids[1]);
  await store.cancel([{ chainId: ids[1] ?? "", reason: undefined }], {});
  await startAll(store, many(1, "acme"));
  await store.retry([{ chainId: ids[1] ?? "", input: undefined, typeName: undefined }], {});
  const running = await claimed(store);
  expect(running.map(({ id }) => id)).toEqual([ids[1]]);
  expect(await runningOf(store, "tenant", "acme")).toBe(1);
});

it("pauses a key and all keys, and changes what counts for them", async () => {
  const store = await limitedStore();
  expect(await store.changeLimits([{ kind: "pause", limit: "tenant", key: "a", forMs: 10 }], {})).toEqual([false]);
  await declare(store, { tenant: { concurrency: 1 } });
  await startAll(store, [...many(3, "a"), ...many(3, "b")]);
  await store.changeLimits([{ kind: "pause", limit: "tenant", key: "a", forMs: undefined }], {});
  expect(await claimed(store)).toHaveLength(1);
  await store.changeLimits([{ kind: "resume", limit: "tenant", key: "a" }], {});
  expect(await claimed(store)).toHaveLength(1);
  await store.changeLimits([{ kind: "override", limit: "tenant", key: "a", rule: rule({ concurrency: 2 }) }], {});
  expect(await claimed(store)).toHaveLength(1);
  await store.changeLimits([{ kind: "override", limit: "tenant", key: undefined, rule: rule({ concurrency: 3 }) }], {});
  expect(await claimed(store)).toHaveLength(2);
  await store.changeLimits([{ kind: "reset", limit: "tenant", key: "a" }], {});
  expect(await claimed(store)).toHaveLength(1);
});

it("returns no more limited jobs than can begin at once, and tells workers when some wait", async () => {
  const store = await limitedStore();
  await declare(store, { tenant: {} });
  await startAll(store, [...many(5, "a"), {}, {}]);
  const alive = { workerId: "w", name: "w", typeNames: ["a"], concurrency: 1, holds: 0, aliveForMs: 1_000 };
  expect((await store.heartbeat(alive, {})).limited).toBeUndefined();
  const jobs = await claimed(store, { startable: 2 });
  expect(jobs.filter(({ limits }) => limits !== undefined)).toHaveLength(2);
  expect(jobs).toHaveLength(4);
  expect((await store.heartbeat(alive, {})).limited).toBe(true);
});

it("takes jobs of higher priority first, whether or not they are under limits", async () => {
  const store = await limitedStore();
  await declare(store, { tenant: {} });
  const limits = [limit("tenant", "a")];
  const ids = await startAll(store, [
    { priority: 1 },
    { priority: 3 },
    { priority: 2, limits },
    { priority: 4, limits },
  ]);
  const order = [...(await claimed(store, { limit: 3 })), ...(await claimed(store, { limit: 3 }))];
  expect(order.map(({ id }) => id)).toEqual([ids[3], ids[1], ids[2], ids[0]]);
});

it("leaves nothing of keys that are not used any more after upkeep", async () => {
  const store = await limitedStore();
  await declare(store, { tenant: { concurrency: 1, rate: { count: 5, perMs: 1, spread: false } } });
  for (let round = 0; round < 3; round++) {
    await startAll(
      store,
      Array.from({ length: 50 }, (_, key) => ({ limits: [limit("tenant", `${round}-${key}`)] })),
    );
    await complete(store, await claimed(store, { limit: 100 }));
  }
  expect(await store.listLimits({ limit: 1_000 }, {})).toHaveLength(150);
  await setTimeout(5);
  for (let more = true; more;)
    more = (await store.maintain({ limit: 40, chore: "windows", completedMs: undefined, failedMs: undefined }, {}))
      .more;
  expect(await store.listLimits({ limit: 1_000 }, {})).toEqual([]);
});

it("gives the kept place of a job back, a minute after it was due for a retry, if no live worker takes its type", async () => {
  const store = await limitedStore();
  await declare(store, { tenant: { concurrency: 1 } });
  const limits = [limit("tenant", "acme", { holds: true })];
  const ids = await startAll(store, [{ typeName: "removed", limits }, { limits }]);
  await putBack(store, await claimed(store, { types: ["removed"] }), 1);
  await setTimeout(2);
  expect(await claimed(store)).toEqual([]);
  const upkeep = { limit: 10, chore: "workers", completedMs: undefined, failedMs: undefined } as const;
  await store.maintain(upkeep, { now: Date.now() + 50_000 });
  expect(await runningOf(store, "tenant", "acme")).toBe(1);
  await store.maintain(upkeep, { now: Date.now() + 70_000 });
  expect(await runningOf(store, "tenant", "acme")).toBe(0);
  const [next] = await claimed(store);
  expect(next?.id).toBe(ids[1]);
  await complete(store, next === undefined ? [] : [next]);
  const later = { now: Date.now() + 80_000 };
  const claim = { workerId: "w", types: [{ typeName: "removed", leaseMs: 1_000 }], limit: 1, limited: true };
  const { claimed: back } = await store.exchange({ outcomes: [], claim }, later);
  expect(back.map(({ id, attempt }) => ({ id, attempt }))).toEqual([{ id: ids[0], attempt: 2 }]);
});

it("removes keys that are not used any more while another limit of their jobs is busy", async () => {
  const store = await limitedStore();
  await declare(store, { tenant: { concurrency: 1 }, smtp: { concurrency: 10 } });
  const start = (key: string) => ({ limits: [limit("smtp", "main"), limit("tenant", key)] });
  await startAll(store, [start("past"), start("busy")]);
  const [past] = await claimed(store);
  await complete(store, past === undefined ? [] : [past]);
  const upkeep = { limit: 100, chore: "windows", completedMs: undefined, failedMs: undefined } as const;
  await store.maintain(upkeep, {});
  const records = await store.listLimits({ limit: 10 }, {});
  expect(records.map(({ key, running }) => [key, running])).toEqual([
    ["main", 1],
    ["busy", 1],
  ]);
});
