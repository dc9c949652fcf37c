import { expect, it } from "vitest";
import { databasePath, jobStart, migratedStore } from "../store.ts";
import { listenedStore, pagesRead, uncachedStore } from "../listened-store.ts";
import { claimed, claimOf, complete, declare, limit, startAll } from "./limited-store.ts";

it("runs no statement about limits for jobs without limits, as long as no worker says that limited jobs wait", async () => {
  const { store, statements } = await listenedStore();
  statements.length = 0;
  await startAll(store, [{}, { priority: 1 }, { tags: { a: "b" } }]);
  const jobs = await claimed(store, { limited: undefined });
  await complete(store, jobs);
  expect(jobs).toHaveLength(3);
  expect(
    statements.filter((sql) => /(lane\b|gate|limit_rule|closed_name|beginning|'limits')(?! is null)/.test(sql)),
  ).toEqual([]);
});

it("asks once about limits when it makes a scheduled job without limits ready", async () => {
  const { store, statements } = await listenedStore();
  await startAll(store, [{ schedule: { afterMs: 1 } }]);
  statements.length = 0;
  const claim = { workerId: "w", types: [{ typeName: "a", leaseMs: 60_000 }], limit: 10 };
  const { claimed: jobs } = await store.exchange({ outcomes: [], claim }, { now: Date.now() + 10 });
  expect(jobs).toHaveLength(1);
  expect(statements.filter((sql) => /(lane\b|gate|limit_rule|closed_name)(?! is null)/.test(sql))).toHaveLength(1);
});

it("finds lanes, gates and jobs in lanes by an index", async () => {
  const { store, statements, plans } = await listenedStore();
  const rate = { count: 5, perMs: 60_000, spread: false };
  await declare(store, { tenant: { concurrency: 1 }, smtp: { rate } });
  const limits = [limit("tenant", "a", { holds: true }), limit("smtp", "main")];
  await startAll(store, [{ limits }, { limits }, { limits: [limit("smtp", "main")] }, {}]);
  statements.length = 0;
  const jobs = await claimed(store, { limit: 2 });
  await complete(store, jobs);
  await claimed(store);
  await store.countAhead(jobs[0]?.id ?? "", 10, {});
  expect(new Set(statements).size).toBeGreaterThan(20);
  const scans = [...new Set(statements)].flatMap((sql) =>
    (plans.get(sql) ?? "")
      .split("\n")
      .filter(
        (detail) =>
          /^SCAN (o|l|g|c|j|chainwright_(open_job|job|lane|lane_gate|gate|closed_name|beginning))\b/.test(detail) ||
          /TEMP B-TREE/.test(detail),
      )
      .map((detail) => `${detail}\n${sql}`),
  );
  expect(scans).toEqual([]);
});

/** Pages that a claim of five jobs reads, with so many keys that are closed and as many that are open. */
async function pagesOfClaim(keys: number, parkedInOne: number) {
  const path = databasePath();
  const store = await migratedStore({ path });
  await declare(store, { closed: {}, open: {} });
  await store.changeLimits([{ kind: "pause", limit: "closed", key: undefined, forMs: undefined }], {});
  const startEach = async (count: number, name: string, key: (n: number) => string) => {
    for (let done = 0; done < count; done += 1_000) {
      const length = Math.min(1_000, count - done);
      const starts = Array.from({ length }, (_, n) => jobStart({ limits: [limit(name, key(done + n))] }));
      await store.start([{ starts }], {});
    }
  };
  await startEach(keys, "closed", String);
  for (let next: number | undefined = 0; next === 0;) next = (await claimOf(store, { limit: 500 })).nextDueInMs;
  await startEach(keys, "open", String);
  await startEach(parkedInOne, "open", () => "0");
  // Puts all jobs into their lanes and takes none.
  await claimOf(store, { types: ["other"] });
  await store.close();

  const uncached = await uncachedStore(path);
  const before = pagesRead();
  const { claimed: jobs } = await claimOf(uncached, { limit: 5 });
  expect(jobs).toHaveLength(5);
  return pagesRead() - before;
}

it.skipIf(process.platform !== "linux")(
  "reads as many pages in a claim with 20,000 open keys, 20,000 closed ones and 20,000 jobs parked in one lane as with 500 keys",
  { timeout: 60_000 },
  async () => {
    const few = await pagesOfClaim(500, 0);
    const many = await pagesOfClaim(20_000, 20_000);
    // Deeper trees.
    expect(many).toBeLessThan(few * 1.7);
  },
);
