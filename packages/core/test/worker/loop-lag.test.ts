import { afterEach, describe, expect, it } from "vitest";
import { createClient } from "../../src/client/create-client.ts";
import { createInProcessStateAdapter } from "../../src/in-process/state-adapter.ts";
import { recordEvents } from "../../src/testing/record-events.ts";
import { createVirtualClock } from "../../src/testing/virtual-clock.ts";
import { defineJobTypes } from "../../src/types/define-job-types.ts";
import { createProcessors } from "../../src/worker/create-processors.ts";
import { createWorker } from "../../src/worker/create-worker.ts";
import { spentOutcome } from "../../src/worker/failure-outcome.ts";
import { createLoopLag } from "../../src/worker/loop-lag.ts";
import { createSystemClock } from "../../src/timing/system-clock.ts";
import type { ChainwrightEvent } from "../../src/model/event.ts";

function block(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

const jobTypes = defineJobTypes<{ compute: { entry: true; input: number; output: number } }>();
const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

describe("an event loop that is blocked for longer than a third of the lease", () => {
  it("is an event with the measured time, which comes before the outcome of the handler that blocked it", async () => {
    const events = recordEvents();
    const client = createClient({
      stateAdapter: createInProcessStateAdapter(),
      jobTypes,
      observers: [events.observer],
    });
    const processors = createProcessors({
      client,
      jobTypes,
      processors: {
        compute: async ({ job }) => {
          block(job.input);
          return job.input;
        },
      },
    });
    const worker = createWorker({ client, leaseMs: 300, processors: [processors] });
    ends.push(
      () => client.close(),
      () => worker.stop(),
    );
    await worker.start();
    await client.awaitChain(await client.startChain({ typeName: "compute", input: 400 }), { timeoutMs: 10_000 });
    const blocked = await events.next("event-loop-blocked", ({ blockedMs }) => blockedMs > 350);
    expect(blocked).toMatchObject({ workerId: worker.id, leaseMs: 300 });
    const completed = events.all.findIndex(({ type }) => type === "job-completed");
    expect(events.all.indexOf(blocked)).toBeLessThan(completed);
  });

  it("is remembered for the jobs that were held, of which the newest thousand are kept", () => {
    const recorded: ChainwrightEvent[] = [];
    let held = ["first"];
    const lag = createLoopLag({
      engine: {
        clock: createSystemClock(),
        events: { begin: () => {}, record: (events) => void recorded.push(...events), take: () => [] },
      },
      workerId: "w",
      leaseMs: 1_500,
      heldJobs: () => held,
    });
    lag.start();
    try {
      lag.check();
      expect(recorded).toEqual([]);
      block(700);
      lag.check();
      expect(lag.blockedMs("first")).toBeGreaterThan(500);
      expect(recorded).toMatchObject([{ type: "event-loop-blocked", workerId: "w", leaseMs: 1_500 }]);
      held = Array.from({ length: 1_000 }, (_, n) => `job ${n}`);
      block(700);
      lag.check();
      expect(lag.blockedMs("job 999")).toBeGreaterThan(500);
      expect(lag.blockedMs("first")).toBeUndefined();
    } finally {
      lag.stop();
    }
  });
});

it("takes no time while a worker holds no jobs", async () => {
  const recorded: ChainwrightEvent[] = [];
  const virtual = createVirtualClock();
  let held: readonly string[] = ["first"];
  const lag = createLoopLag({
    engine: {
      clock: { ...virtual, virtual: false },
      events: { begin: () => {}, record: (events) => void recorded.push(...events), take: () => [] },
    },
    workerId: "w",
    leaseMs: 1_500,
    heldJobs: () => held,
  });
  lag.start();
  await virtual.advance(1_000);
  expect(virtual.timers).toBe(1);
  held = [];
  await virtual.advance(100);
  expect(virtual.timers).toBe(0);
  block(700);
  lag.check();
  expect(recorded).toEqual([]);
  // A claim has brought a job.
  lag.start();
  held = ["second"];
  block(700);
  await virtual.advance(100);
  expect(recorded).toMatchObject([{ type: "event-loop-blocked" }]);
  expect(lag.blockedMs("second")).toBeGreaterThan(500);
  expect(virtual.timers).toBe(1);
  lag.stop();
});

describe("a job whose attempts are used up", () => {
  const job = {
    id: "j",
    chainId: "j",
    typeName: "compute",
    version: 1,
    pool: undefined,
    step: 1,
    priority: 0,
    input: "1",
    attempt: 5,
    fence: 6,
    errors: undefined,
    createdAt: 0,
    waitedMs: 0,
    context: undefined,
    blockers: [],
  };
  const fence = { jobId: "j", workerId: "w", fence: 6 };
  const messageOf = (errors: string | undefined, blockedMs: number | undefined): string =>
    JSON.stringify(spentOutcome(createSystemClock(), { job: { ...job, errors }, fence }, blockedMs));

  it("is not blamed on a dead process if its own process was blocked while it held the job", () => {
    expect(messageOf(undefined, undefined)).toContain(
      "its process probably died, or could not renew the lease in time",
    );
    expect(messageOf(undefined, 5_000)).toContain("the event loop was blocked for 5000 ms while it held the job");
    expect(messageOf(undefined, 5_000)).not.toContain("died");
  });

  it("is not blamed on a dead process if its last attempt has reported an error, and its policy was lowered", () => {
    const errors = JSON.stringify([{ attempt: 5, at: 0, workerId: "w", name: "Error", message: "no" }]);
    expect(messageOf(errors, undefined)).toContain("all 5 attempts were used; its processor now allows fewer.");
  });
});
