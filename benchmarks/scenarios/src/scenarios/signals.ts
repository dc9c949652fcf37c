import { now, percentile } from "@chainwright/bench-measuring";
import { createClient, createProcessors, createWorker, defineJobTypes } from "chainwright";
import type { Scenario } from "../scenario.ts";
import { onStore, stores, type OpenStore } from "../store.ts";

const jobTypes = defineJobTypes<{
  plain: { entry: true; input: null; output: null };
  answered: { entry: true; input: null; signals: { answer: { n: number } }; output: null };
}>();

const discarded = 50;
const pairs = 300;
const waiting = 20_000;
const callers = 4;
const batch = 100;

/** Signals: how soon they wake a step, beside the latency of a start, and how many a second are stored. */
export const signals: Scenario = {
  name: "signals",
  title: "Signals to waiting steps",
  note:
    `On an idle worker, in changing order: from the call of startChain or signalChain to the beginning of the handler (${pairs} of each). ` +
    `Then without a worker: ${waiting} waiting steps get a signal each, by signalChains with ${batch}, ${callers} calls at the same time.`,
  columns: [
    { name: "start, p50 ms", keys: ["start"], digits: 3 },
    { name: "signal, p50 ms", keys: ["signal"], digits: 3 },
    { name: "signals a second", keys: ["perSecond"], digits: 0 },
  ],
  rows: stores,
  measure: (row, { servers, progress }) =>
    onStore(row, servers, async ({ adapters }) => {
      progress("latency");
      const latency = await measureLatency(adapters);
      progress("throughput");
      return { ...latency, perSecond: await measureThroughput(adapters) };
    }),
};

async function measureLatency(adapters: OpenStore["adapters"]) {
  const client = createClient({ ...adapters, jobTypes, observers: [] });
  let began = Promise.withResolvers<number>();
  const begin = async () => {
    began.resolve(now());
    return null;
  };
  const processors = createProcessors({ client, jobTypes, processors: { plain: begin, answered: begin } });
  const worker = createWorker({ client, processors: [processors] });
  await worker.start();
  const timed = async <Value>(call: () => Promise<Value>) => {
    began = Promise.withResolvers<number>();
    const from = now();
    const value = await call();
    return { value, latency: (await began.promise) - from };
  };
  const starts: number[] = [];
  const sends: number[] = [];
  for (let round = 0; round < discarded + pairs; round += 1) {
    const waits = await client.startChain({ typeName: "answered", input: null, waitUntil: "forever" });
    // The worker is idle before each of the two: one that still hands in an attempt looks for jobs only after that.
    const start = async () => {
      const { value: chain, latency } = await timed(() => client.startChain({ typeName: "plain", input: null }));
      starts.push(latency);
      await client.awaitChain(chain);
    };
    const send = async () => {
      const signal = { id: waits.id, typeName: "answered", signal: "answer", payload: { n: round } } as const;
      const { latency } = await timed(() => client.signalChain(signal));
      sends.push(latency);
      await client.awaitChain(waits);
    };
    for (const call of round % 2 === 0 ? [start, send] : [send, start]) await call();
  }
  await worker.stop();
  await client.close();
  return { start: percentile(starts.slice(discarded), 0.5), signal: percentile(sends.slice(discarded), 0.5) };
}

async function measureThroughput(adapters: OpenStore["adapters"]): Promise<number> {
  const client = createClient({ ...adapters, jobTypes, observers: [] });
  const ids: string[] = [];
  while (ids.length < waiting) {
    const start = { typeName: "answered", input: null, waitUntil: "forever" } as const;
    const chains = await client.startChains({ items: Array.from({ length: 500 }, () => start) });
    ids.push(...chains.map(({ id }) => id));
  }
  const batches = Array.from({ length: waiting / batch }, (_, index) => ids.slice(index * batch, (index + 1) * batch));
  const from = now();
  const send = async (): Promise<void> => {
    for (let next = batches.pop(); next !== undefined; next = batches.pop()) {
      const items = next.map((id) => ({ id, typeName: "answered", signal: "answer", payload: { n: 1 } }) as const);
      const replies = await client.signalChains({ items });
      if (replies.some(({ delivered }) => delivered !== "taken")) throw new Error("a signal was not taken");
    }
  };
  await Promise.all(Array.from({ length: callers }, send));
  const perSecond = (waiting / (now() - from)) * 1_000;
  await client.close();
  return perSecond;
}
