import type { JobStart, SignalItem } from "chainwright/adapter";
import { expect, it } from "vitest";
import { databasePath, jobStart, migratedStore } from "../store.ts";
import { listenedStore, pagesRead, uncachedStore } from "../listened-store.ts";

const isFullScale = process.env["CHAINWRIGHT_SCALE"] === "full";

type Store = Awaited<ReturnType<typeof migratedStore>>;

async function claimed(store: Store, typeName = "a", limit = 10) {
  const claim = { workerId: "w", types: [{ typeName, leaseMs: 60_000 }], limit };
  return (await store.exchange({ outcomes: [], claim }, {})).claimed;
}

const waits = { until: undefined, topics: ["t"] } as const;
const signal = { typeName: "a", signal: "s", payload: "1", signalId: undefined, context: undefined } as const;

it("runs no statement about signals for chains without signals, and creates no trigger", async () => {
  const { store, statements } = await listenedStore();
  statements.length = 0;
  const blocker = jobStart();
  const starts = [blocker, jobStart({ blockers: [{ chainId: blocker.id, typeName: undefined }] }), jobStart()];
  await store.start([{ starts }], {});
  const [first, second] = await claimed(store);
  const target = (job: typeof first) => ({ jobId: job?.id ?? "", workerId: "w", fence: job?.fence ?? 0 });
  await store.settle([{ target: target(first), kind: "completed", output: "1" }], {});
  await store.settle([{ target: target(second), kind: "continued", next: jobStart() }], {});
  await store.cancel([{ chainId: second?.id ?? "", reason: undefined }], {});
  await store.retry([{ chainId: second?.id ?? "", input: undefined, typeName: undefined }], {});
  await store.remove({ chainIds: [second?.id ?? ""], cascade: false }, {});
  expect(new Set(statements).size).toBeGreaterThan(20);
  expect(statements.filter((sql) => /chainwright_(signal|topic|topic_signal)\b|create trigger/.test(sql))).toEqual([]);
});

it("finds signals, the jobs that wait for a topic and what is kept for it by an index", async () => {
  const { store, statements, plans } = await listenedStore();
  const jobs = [jobStart({ waits }), jobStart({ waits })];
  await store.start([{ starts: jobs }], {});
  statements.length = 0;
  const items: readonly SignalItem[] = [
    { ...signal, chainId: jobs[0]?.id ?? "", signalId: "1" },
    { ...signal, chainId: jobs[0]?.id ?? "" },
    { ...signal, topic: "t", signalId: "2", keepMs: 1_000 },
  ];
  expect(await store.signal(items, {})).toMatchObject({ ok: true });
  await store.start([{ starts: [jobStart({ waits })] }], {});
  expect(await claimed(store)).toHaveLength(3);
  await store.listSignals({ chainId: jobs[0]?.id ?? "", after: undefined, limit: 10 }, {});
  await store.cancel([{ chainId: jobs[0]?.id ?? "", reason: undefined }], {});
  await store.retry([{ chainId: jobs[0]?.id ?? "", input: undefined, typeName: undefined }], {});
  await store.remove({ chainIds: [jobs[0]?.id ?? ""], cascade: false }, {});
  const upkeep = { chore: "windows", completedMs: undefined, failedMs: undefined, limit: 10 } as const;
  await store.maintain(upkeep, {});
  const ofSignals = [...new Set(statements)].filter((sql) => /chainwright_(signal|topic|topic_signal)\b/.test(sql));
  expect(ofSignals.length).toBeGreaterThan(8);
  const scans = ofSignals.flatMap((sql) =>
    (plans.get(sql) ?? "")
      .split("\n")
      .filter((detail) => /^SCAN (s|o|j|chainwright_\w+)\b/.test(detail))
      .map((detail) => `${detail}\n${sql}`),
  );
  expect(scans).toEqual([]);
});

/** Pages that a claim of five ready jobs reads beside so many jobs of the same type that wait, half of them with an end. */
async function pagesOfClaim(waiting: number) {
  const path = databasePath();
  const store = await migratedStore({ path });
  const startEach = async (count: number, start: (n: number) => JobStart) => {
    for (let done = 0; done < count; done += 1_000) {
      const length = Math.min(1_000, count - done);
      await store.start([{ starts: Array.from({ length }, (_, n) => start(n)) }], {});
    }
  };
  await startEach(waiting, (n) => {
    const until = n % 2 === 0 ? undefined : { afterMs: 3_600_000 + n };
    return jobStart({ waits: { until, topics: n % 10 === 0 ? ["t"] : undefined } });
  });
  await startEach(500, () => jobStart());
  await store.close();
  const uncached = await uncachedStore(path);
  const before = pagesRead();
  expect(await claimed(uncached, "a", 5)).toHaveLength(5);
  const pages = pagesRead() - before;
  const counts = await uncached.count({});
  expect(counts.find(({ status }) => status === "waiting")?.count).toBe(waiting);
  expect(counts.find(({ status }) => status === "scheduled")).toBeUndefined();
  const queued = await uncached.countQueued({});
  expect(
    queued.map(({ status, count }) => [status, count]),
    "waiting jobs are not queued",
  ).toEqual([
    ["ready", 495],
    ["running", 5],
  ]);
  return pages;
}

/** A million with CHAINWRIGHT_SCALE=full. */
const many = isFullScale ? 1_000_000 : 20_000;

it.skipIf(process.platform !== "linux")(
  `reads as many pages in a claim beside ${many} waiting jobs as beside 200`,
  { timeout: isFullScale ? 600_000 : 60_000 },
  async () => {
    const few = await pagesOfClaim(200);
    const beside = await pagesOfClaim(many);
    if (isFullScale)
      process.stdout.write(`pages of a claim: ${few} beside 200 waiting jobs, ${beside} beside ${many}\n`);
    // Deeper trees.
    expect(beside).toBeLessThan(few * 1.7);
  },
);
