import { describe, expect, it } from "vitest";
import { createClient } from "../../src/client/create-client.ts";
import { createInProcessNotifyAdapter } from "../../src/in-process/notify-adapter.ts";
import { createInProcessStateAdapter } from "../../src/in-process/state-adapter.ts";
import type { Hint, NotifyAdapter } from "../../src/ports/notify.ts";
import type { Observer } from "../../src/ports/observer.ts";
import { drain } from "../../src/testing/drain.ts";
import { createVirtualClock } from "../../src/testing/virtual-clock.ts";
import { defineJobTypes } from "../../src/types/define-job-types.ts";
import { createProcessors } from "../../src/worker/create-processors.ts";
import { createWorker } from "../../src/worker/create-worker.ts";

const jobTypes = defineJobTypes<{
  value: { entry: true; input: number; output: number };
  first: { entry: true; input: number; continueWith: "second" };
  second: { input: number; output: number; blockers: ["value"] };
  broken: { entry: true; input: number; output: number };
}>();

/** What goes to other processes while a worker runs chains of every kind of step. */
async function hintsOfRun(observers: readonly Observer[]): Promise<readonly Hint[]> {
  const clock = createVirtualClock();
  const inner = createInProcessNotifyAdapter();
  const sent: Hint[] = [];
  const notifyAdapter: NotifyAdapter = {
    ...inner,
    publish(message) {
      sent.push(...message.hints);
      return inner.publish(message);
    },
  };
  const stateAdapter = createInProcessStateAdapter({ clock });
  const client = createClient({ stateAdapter, notifyAdapter, clock, jobTypes, observers });
  const processors = createProcessors({
    client,
    jobTypes,
    processors: {
      value: async () => 1,
      first: async ({ continueWith }) =>
        continueWith({ typeName: "second", input: 0, blockers: [{ typeName: "value", input: 0 }] }),
      second: {
        retry: { maxAttempts: 2, backoff: { initialMs: 0, jitter: 0 } },
        handler: async ({ job, complete }) => {
          if (job.attempt === 1) throw new Error("once");
          return complete(async () => 2);
        },
      },
      broken: {
        retry: { maxAttempts: 1 },
        handler: async (): Promise<number> => {
          throw new Error("always");
        },
      },
    },
  });
  const worker = createWorker({ client, processors: [processors] });
  await worker.start();
  for (const typeName of ["value", "first", "broken", "first"] as const) {
    await client.startChain({ typeName, input: 0 });
    await drain({ client });
    await clock.advance(1_000);
  }
  await drain({ client });
  await worker.stop();
  await client.close();
  return sent;
}

describe("without an observer", () => {
  it("the same hints go to other processes as with an observer", async () => {
    const types: string[] = [];
    const withOne = await hintsOfRun([(event) => types.push(event.type)]);
    expect(await hintsOfRun([])).toEqual(withOne);
    expect(withOne.length).toBeGreaterThan(5);
    expect(types).toEqual(expect.arrayContaining(["job-claimed", "job-retried", "job-unblocked", "chain-failed"]));
  });
});
