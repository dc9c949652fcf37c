import { percentile } from "@chainwright/bench-measuring";
import { createClient, createProcessors, createWorker, defineJobTypes } from "chainwright";
import type { Scenario } from "../scenario.ts";
import { onStore, stores, type OpenStore } from "../store.ts";

const jobTypes = defineJobTypes<{
  once: { entry: true; input: null; output: null };
  complete: { entry: true; input: null; output: null };
  many: { entry: true; input: null; output: null };
}>();

const discarded = 50;
const handlers = 50;
const onceEach = 100;

/** What `once` costs: alone, beside a transaction that ends a job, and where many handlers call it at the same time. */
export const notes: Scenario = {
  name: "notes",
  title: "once",
  note: `"alone": from the call to its end in a handler that has the worker to itself, taking turns with an empty "complete". "together": ${handlers} handlers call it ${onceEach} times each, so that ${handlers} of them share a call of the store.`,
  columns: [
    { name: "complete, p50 ms", keys: ["complete"], digits: 3 },
    { name: "once, p50 ms", keys: ["once"], digits: 3 },
    { name: "once / complete", keys: ["ratio"], digits: 2 },
    { name: "together, us of CPU each", keys: ["together"], digits: 1 },
    { name: "server", keys: ["server"], digits: 1 },
  ],
  rows: stores,
  measure: (row, { settings, servers, progress }) =>
    onStore(row, servers, async (open) => {
      progress("alone");
      const alone = await measureAlone(open, settings.notedJobs);
      progress("together");
      return { ...alone, ...(await measureTogether(open)) };
    }),
};

async function measureAlone({ adapters }: OpenStore, jobs: number) {
  const client = createClient({ ...adapters, jobTypes, observers: [] });
  const took: { readonly [Kind in "once" | "complete"]: number[] } = { once: [], complete: [] };
  const processors = createProcessors({
    client,
    jobTypes,
    processors: {
      once: async ({ once }) => {
        const from = performance.now();
        await once("value", async () => 1);
        took.once.push(performance.now() - from);
        return null;
      },
      complete: async ({ complete }) => {
        const from = performance.now();
        const result = await complete(async () => null);
        took.complete.push(performance.now() - from);
        return result;
      },
      many: async () => null,
    },
  });
  const worker = createWorker({ client, processors: [processors], concurrency: 1 });
  await worker.start();
  for (let job = 0; job < discarded + jobs; job += 1) {
    for (const typeName of job % 2 === 0 ? (["once", "complete"] as const) : (["complete", "once"] as const))
      await client.awaitChain(await client.startChain({ typeName, input: null }));
  }
  await worker.stop();
  await client.close();
  const once = percentile(took.once.slice(discarded), 0.5);
  const complete = percentile(took.complete.slice(discarded), 0.5);
  return { once, complete, ratio: once / complete };
}

async function measureTogether({ adapters, serverCpu }: OpenStore) {
  const client = createClient({ ...adapters, jobTypes, observers: [] });
  const begun = latch(handlers);
  const over = latch(handlers);
  let before = cpuNow(serverCpu);
  let after = before;
  const nothing = async () => null;
  const many = async ({ once }: { once: (name: string, run: () => Promise<number>) => Promise<number> }) => {
    for (let warm = 0; warm < discarded; warm += 1) await once(`warm ${warm}`, async () => warm);
    if (begun.arrive()) before = cpuNow(serverCpu);
    await begun.all;
    for (let n = 0; n < onceEach; n += 1) await once(`part ${n}`, async () => n);
    if (over.arrive()) after = cpuNow(serverCpu);
    await over.all;
    return null;
  };
  const processors = createProcessors({ client, jobTypes, processors: { once: nothing, complete: nothing, many } });
  const worker = createWorker({ client, processors: [processors], concurrency: handlers });
  await client.startChains({ items: Array.from({ length: handlers }, () => ({ typeName: "many", input: null })) });
  await worker.start();
  await over.all;
  await worker.stop();
  await client.close();
  const count = handlers * onceEach;
  const server = before.server !== undefined && after.server !== undefined ? after.server - before.server : undefined;
  return { together: (after.own - before.own) / count, ...(server !== undefined && { server: server / count }) };
}

function cpuNow(serverCpu: OpenStore["serverCpu"]) {
  const { user, system } = process.cpuUsage();
  return { own: user + system, server: serverCpu() };
}

/** Resolves when so many have arrived. */
function latch(count: number) {
  const { promise, resolve } = Promise.withResolvers<void>();
  let left = count;
  return {
    all: promise,
    /** Returns whether this one was the last. */
    arrive(): boolean {
      left -= 1;
      if (left === 0) resolve();
      return left === 0;
    },
  };
}
