import { describe, expect, it } from "vitest";
import {
  createClient,
  createInProcessStateAdapter,
  createProcessors,
  createWorker,
  defineJobTypes,
} from "../../src/index.ts";
import { prefetchWindow } from "../../src/worker/prefetch-window.ts";
import { createRig } from "../rig.ts";

const jobTypes = defineJobTypes<{ work: { entry: true; input: { n: number }; output: null } }>();

/** The most attempts that a worker has on record for jobs that no handler has begun. */
async function claimedAhead(maxAttempts: number): Promise<number> {
  const stateAdapter = createInProcessStateAdapter();
  const client = createClient({ stateAdapter, jobTypes });
  let ahead = 0;
  let ended = 0;
  const all = Promise.withResolvers<void>();
  const handler = async () => {
    ahead = Math.max(ahead, worker.health().waiting);
    ended += 1;
    if (ended === 500) all.resolve();
    return null;
  };
  const processors = createProcessors({ client, jobTypes, processors: { work: { retry: { maxAttempts }, handler } } });
  const worker = createWorker({ client, processors: [processors], concurrency: 2 });
  await client.startChains({
    items: Array.from({ length: 500 }, (_, n) => ({ typeName: "work" as const, input: { n } })),
  });
  await worker.start();
  await all.promise;
  await worker.stop();
  await client.close();
  return ahead;
}

it("claims short jobs ahead of the slots", async () => {
  expect(await claimedAhead(25)).toBeGreaterThan(2);
});

it("claims nothing ahead if a dying process would use up one of few attempts", async () => {
  // What is claimed fills the slots at once; the second of two waits for nothing but its turn.
  expect(await claimedAhead(1)).toBeLessThanOrEqual(1);
});

describe("the number of jobs that are claimed ahead", () => {
  const most = 200;

  it("is what ended during the round trip, if no slot was empty", () => {
    expect(prefetchWindow({ finished: 7, starvedAfterMs: undefined }, true, most)).toBe(7);
  });

  it("doubles while slots are empty", () => {
    expect(prefetchWindow({ finished: 7, starvedAfterMs: 1 }, false, most)).toBe(14);
    expect(prefetchWindow({ finished: 7, starvedAfterMs: 2_000 }, true, most)).toBe(14);
  });

  it("is what the slots finish in 50 ms, at most eight times as much as before, while claims bring all they ask for", () => {
    expect(prefetchWindow({ finished: 10, starvedAfterMs: 10 }, true, most)).toBe(50);
    expect(prefetchWindow({ finished: 10, starvedAfterMs: 0 }, true, most)).toBe(80);
  });

  it("is never more than prefetch", () => {
    expect(prefetchWindow({ finished: 150, starvedAfterMs: 0 }, true, most)).toBe(most);
    expect(prefetchWindow({ finished: 300, starvedAfterMs: undefined }, true, most)).toBe(most);
  });
});

/** A rig whose jobs take so long, and the limits of the claims of its workers. */
function rigOf(ms: (n: number) => number, prefetch: number) {
  const asked: number[] = [];
  const rig = createRig({
    between: (store) => ({
      exchange: (request, options) => {
        if (request.claim !== undefined) asked.push(request.claim.limit);
        return store.exchange(request, options);
      },
    }),
    processors: {
      a: (context) => {
        const { job } = context as { readonly job: { readonly input: number } };
        const takesMs = ms(job.input);
        return takesMs === 0 ? null : new Promise((resolve) => void rig.clock.setTimer(() => resolve(null), takesMs));
      },
    },
    worker: { concurrency: 2, prefetch },
  });
  const startMany = async (count: number): Promise<void> => {
    for (let n = 0; n < count; n += 1) await rig.start("a", n);
  };
  return { ...rig, asked, startMany };
}

it("claims many short jobs ahead with its second claim, and few again once the backlog has ended", async () => {
  const rig = rigOf(() => 0, 40);
  await rig.startMany(100);
  const worker = rig.createWorker();
  await worker.start();
  await rig.clock.advance(100);
  expect(rig.asked.slice(0, 3)).toEqual([2, 18, 42]);
  await rig.start("a", 100);
  await rig.clock.advance(100);
  rig.asked.length = 0;
  await rig.start("a", 101);
  await rig.clock.advance(100);
  expect(Math.max(...rig.asked)).toBeLessThanOrEqual(4);
  await worker.stop();
});

it("leaves long jobs to workers with free slots", async () => {
  const rig = rigOf(() => 1_000, 40);
  await rig.startMany(50);
  const worker = rig.createWorker();
  await worker.start();
  for (let second = 0; second < 10; second += 1) {
    expect(worker.health().waiting).toBeLessThanOrEqual(4);
    await rig.clock.advance(1_000);
  }
  const stopped = worker.stop();
  await rig.clock.advance(2_000);
  await stopped;
});

it("gives back jobs that were claimed ahead behind short ones and turn out to be long, and counts no attempt", async () => {
  const rig = rigOf((n) => (n < 20 ? 0 : 60_000), 40);
  await rig.startMany(50);
  const first = rig.createWorker();
  await first.start();
  await rig.clock.advance(100);
  expect(first.health().waiting).toBeGreaterThan(10);
  const second = rig.createWorker();
  await second.start();
  expect(second.health().running).toBe(0);
  await rig.clock.advance(20_000);
  expect(first.health()).toMatchObject({ running: 2, waiting: 0 });
  expect(second.health().running).toBe(2);
  const attempts = rig.events.all.flatMap((event) => (event.type === "job-claimed" ? [event.attempt] : []));
  expect(new Set(attempts)).toEqual(new Set([1]));
  const stopped = Promise.all([first.stop({ timeoutMs: 0 }), second.stop({ timeoutMs: 0 })]);
  await rig.clock.advance(10_000);
  await stopped;
});
