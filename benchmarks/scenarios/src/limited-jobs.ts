import { delay } from "@chainwright/bench-measuring";
import { createClient, createProcessors, createWorker, defineJobTypes, defineLimits } from "chainwright";
import type { OpenStore } from "./store.ts";

const jobTypes = defineJobTypes<{
  value: { entry: true; input: { key: string | undefined }; output: { done: true } };
}>();

/** The slots of a worker. */
export const slotsEach = 25;
const batch = 100;
const fullKey = "full";

/** Value jobs under a limit by key, and workers that process them. */
export interface LimitedJobs {
  start(count: number, keyOf: (n: number) => string | undefined): Promise<void>;
  /** Runs workers until `until` resolves. `ended` is called for each job that ends. */
  work(until: Promise<void>, ended: () => void): Promise<void>;
  /** Starts jobs of the full key, and waits until they are in its lane. */
  park(count: number): Promise<void>;
  close(): Promise<void>;
}

export interface LimitedOptions {
  readonly concurrency: number;
  readonly workers: number;
  /** How long each job takes beside the work of Chainwright. */
  readonly handlerMs?: number;
}

/** The workers are in this process. */
export function createLimitedJobs(
  { adapters }: OpenStore,
  { concurrency, workers, handlerMs = 0 }: LimitedOptions,
): LimitedJobs {
  const perKeyLimit = defineLimits({
    jobTypes,
    limits: { "per key": { keys: { value: ({ key }) => key }, concurrency } },
  });
  const client = createClient({ ...adapters, jobTypes, limits: [perKeyLimit] });
  let onEnd = (): void => undefined;
  const handler = async () => {
    if (handlerMs > 0) await delay(handlerMs);
    onEnd();
    return { done: true } as const;
  };
  const processors = [createProcessors({ client, jobTypes, processors: { value: handler } })];
  const work: LimitedJobs["work"] = async (until, ended) => {
    onEnd = ended;
    const running = Array.from({ length: workers }, () => createWorker({ client, processors, concurrency: slotsEach }));
    await Promise.all(running.map((worker) => worker.start()));
    await until;
    await Promise.all(running.map((worker) => worker.stop()));
  };
  const start: LimitedJobs["start"] = async (count, keyOf) => {
    for (let from = 0; from < count; from += batch) {
      const inputs = Array.from({ length: batch }, (_, n) => ({ key: keyOf(from + n) }));
      await client.startChains({ items: inputs.map((input) => ({ typeName: "value", input }) as const) });
    }
  };
  const inLane = async (count: number) => {
    for (;;) {
      const { items } = await client.listLimits({ limit: "per key", key: fullKey });
      if ((items[0]?.waiting ?? 0) >= count) return;
      await delay(50);
    }
  };
  return {
    start,
    work,
    async park(count) {
      // The store knows the limit when a worker has started.
      await work(Promise.resolve(), () => undefined);
      await client.pauseLimit({ limit: "per key", key: fullKey });
      await start(count, () => fullKey);
      await work(inLane(count), () => undefined);
    },
    close: () => client.close(),
  };
}
