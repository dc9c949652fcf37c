import {
  createClient,
  createProcessors,
  createWorker,
  defineJobTypes,
  type Observer,
  type StateAdapter,
} from "chainwright";
import { recordEvents } from "chainwright/testing";
import { expect } from "vitest";

const deduplication = { key: "today", scope: "any", windowMs: 5 } as const;

/** Does everything once that an application does with a store: work of every kind, every call of the client, every chore of upkeep. */
export async function workday<Tx>(store: StateAdapter<Tx>): Promise<void> {
  const events = recordEvents();
  const { client, processors, mend } = createDay(store, events.observer);
  const worker = createWorker({ client, processors: [processors], concurrency: 5, pollIntervalMs: 50 });
  await worker.start();

  const value = await client.startChain({ typeName: "day.value", input: 1, deduplication });
  const atomic = await client.startChain({ typeName: "day.atomic", input: 2 });
  const broken = await client.startChain({ typeName: "day.broken", input: 3 });
  const joined = await client.startChain({
    typeName: "day.joined",
    input: 4,
    blockers: [{ typeName: "day.value", input: 5 }],
  });
  const later = await client.startChain({ typeName: "day.value", input: 6, schedule: { afterMs: 3_600_000 } });
  for (const { id } of [value, atomic, joined]) await client.awaitChain({ id }, { timeoutMs: 10_000 });
  await expect(client.awaitChain({ id: broken.id }, { timeoutMs: 10_000 })).rejects.toMatchObject({
    code: "chain-failed",
  });
  mend();
  await client.retryChain({ id: broken.id });
  await client.awaitChain({ id: broken.id }, { timeoutMs: 10_000 });
  await client.cancelChain({ id: later.id });
  await client.listChains({ status: "cancelled" });
  await client.deleteChain({ id: atomic.id });
  expect(await client.countJobs()).toMatchObject({ "day.value": { completed: 2, cancelled: 1 } });

  await clearAway(store);
  await worker.stop();
  await client.close();
  expect(worker.health().upkeepFailures).toEqual([]);
  expect(events.all.filter(({ type }) => /lost|upkeep/.test(type))).toEqual([]);
  expect(await store.count({})).toEqual([]);
}

const jobTypes = defineJobTypes<{
  "day.value": { entry: true; input: number; output: number };
  "day.atomic": { entry: true; input: number; continueWith: "day.last" };
  "day.last": { input: number; output: number };
  "day.broken": { entry: true; input: number; output: number };
  "day.joined": { entry: true; input: number; output: number; blockers: ["day.value"] };
}>();

/** A client and its handlers; `day.broken` fails until `mend` is called. */
function createDay<Tx>(store: StateAdapter<Tx>, observer: Observer) {
  const client = createClient({ stateAdapter: store, jobTypes, observers: [observer] });
  let isBroken = true;
  const processors = createProcessors({
    client,
    jobTypes,
    processors: {
      "day.value": async ({ job }) => job.input,
      "day.atomic": async ({ job, prepare, complete }) => {
        await prepare({ mode: "staged" }, async () => undefined);
        return complete(async ({ continueWith }) => continueWith({ typeName: "day.last", input: job.input }));
      },
      "day.last": async ({ job }) => job.input,
      "day.broken": {
        retry: { maxAttempts: 1 },
        handler: async ({ job }) => {
          if (isBroken) throw new Error("broken");
          return job.input;
        },
      },
      "day.joined": async ({ job }) => job.input,
    },
  });
  return {
    client,
    processors,
    mend() {
      isBroken = false;
    },
  };
}

/** Runs every chore of upkeep until there is no more to do. */
async function clearAway<Tx>(store: StateAdapter<Tx>): Promise<void> {
  const all = { completedMs: 0, failedMs: 0, limit: 100 };
  for (let more = true; more;) ({ more } = await store.maintain(all, { now: Date.now() + 60_000 }));
}
