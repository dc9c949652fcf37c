import { createClient, createProcessors, createWorker, defineJobTypes, type Worker } from "chainwright";
import type { Parts } from "./row.ts";

const jobTypes = defineJobTypes<{
  work: { entry: true; input: { text: string }; output: { done: true } };
}>();

const input = { text: "x".repeat(20) };

/** A client and a worker on what a row built; `handle` is what each job waits for. */
export interface Site {
  start(count: number): Promise<void>;
  /** A worker that has begun to look for work. */
  startWorker(): Promise<Worker>;
  /** Uses what is built around the client, if there is something. */
  look(): Promise<void>;
  close(): Promise<void>;
}

export function createSite(parts: Parts, concurrency: number, handle: () => Promise<void> | void): Site {
  const { stateAdapter, notifyAdapter, observers = [] } = parts;
  const client = createClient({ stateAdapter, notifyAdapter, observers, jobTypes });
  const attached = parts.attach?.(client);
  const processors = createProcessors({
    client,
    jobTypes,
    processors: {
      work: async () => {
        await handle();
        return { done: true };
      },
    },
  });
  return {
    async start(count) {
      for (let started = 0; started < count; started += 100)
        await client.startChains({
          items: Array.from({ length: Math.min(100, count - started) }, () => ({ typeName: "work", input })),
        });
    },
    async startWorker() {
      const worker = createWorker({ client, processors: [processors], concurrency });
      await worker.start();
      return worker;
    },
    look: async () => await attached?.use(),
    async close() {
      await client.close();
      await notifyAdapter?.close();
      await stateAdapter.close();
    },
  };
}

/** A counter that resolves a promise at a number. */
export function countdown(from: number): { readonly reached: Promise<void>; readonly count: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  let left = from;
  return {
    reached: promise,
    count() {
      left -= 1;
      if (left === 0) resolve();
    },
  };
}
