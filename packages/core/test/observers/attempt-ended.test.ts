import { describe, expect, it } from "vitest";
import { createClient } from "../../src/client/create-client.ts";
import { createInProcessStateAdapter } from "../../src/in-process/state-adapter.ts";
import { recordEvents } from "../../src/testing/record-events.ts";
import { createVirtualClock } from "../../src/testing/virtual-clock.ts";
import { defineJobTypes } from "../../src/types/define-job-types.ts";
import { createProcessors } from "../../src/worker/create-processors.ts";
import { createWorker } from "../../src/worker/create-worker.ts";

const jobTypes = defineJobTypes<{
  later: { entry: true; input: null; output: null };
  deadly: { entry: true; input: null; output: null };
}>();

function createShop() {
  const clock = createVirtualClock();
  const events = recordEvents();
  const stateAdapter = createInProcessStateAdapter({ clock });
  const client = createClient({ stateAdapter, clock, jobTypes, observers: [events.observer] });
  const processors = createProcessors({
    client,
    jobTypes,
    processors: {
      later: async ({ job, reschedule }) => (job.lastError === undefined ? reschedule({ afterMs: 1_000 }) : null),
      deadly: { retry: { maxAttempts: 1 }, handler: async () => null },
    },
  });
  return { clock, events, stateAdapter, client, worker: createWorker({ client, processors: [processors] }) };
}

describe("attempt-ended", () => {
  it("has no error if the handler rescheduled itself", async () => {
    const { events, client, worker } = createShop();
    await worker.start();
    await client.startChain({ typeName: "later", input: null });
    expect((await events.next("attempt-ended")).error).toBeUndefined();
    expect(await events.next("job-retried")).toMatchObject({ reason: "rescheduled", error: undefined, dueInMs: 1_000 });
    await worker.stop();
    await client.close();
  });

  it("is not raised, and no event has a further attempt, if a process that died used up the last one", async () => {
    const { clock, events, stateAdapter, client, worker } = createShop();
    await client.startChain({ typeName: "deadly", input: null });
    const claim = { workerId: "dead", types: [{ typeName: "deadly", leaseMs: 10 }], limit: 1 };
    await stateAdapter.exchange({ outcomes: [], claim }, { now: clock.now() });
    await clock.advance(11);
    await worker.start();
    expect(await events.next("job-failed")).toMatchObject({ attempt: 1, error: { name: "lease-lost" } });
    expect(events.all.filter((event) => "attempt" in event && event.attempt !== 1)).toEqual([]);
    expect(events.all.filter(({ type }) => type === "attempt-ended")).toEqual([]);
    await worker.stop();
    await client.close();
  });
});
