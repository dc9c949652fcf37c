import { createWorker, type Worker, type WorkerOptions } from "chainwright";
import type { RollingProcess } from "./open-process.ts";
import { openSharedClient } from "./shared-client.ts";
import { sharedProcessors } from "./shared-processors.ts";

/** Processes are killed, so no job may run out of attempts. */
const patience = { maxAttempts: 1_000, backoff: { initialMs: 50, multiplier: 1, maxMs: 50 } };

/** Starts workers of the job types that both releases declare in the same way. Returns a function that stops them. */
export async function runSharedWorkers(rolling: RollingProcess): Promise<() => Promise<void>> {
  const client = openSharedClient(rolling);
  const processors = [sharedProcessors(rolling, client)];
  const options = workerOptions(rolling);
  return runWorkers(
    client,
    Array.from({ length: rolling.orders.workers }, () => createWorker({ client, processors, ...options })),
  );
}

/** Starts workers of a client. Returns a function that stops them and closes the client. */
export async function runWorkers(
  client: { close(): Promise<void> },
  workers: readonly Worker[],
): Promise<() => Promise<void>> {
  await Promise.all(workers.map((worker) => worker.start()));
  return async () => {
    await Promise.all(workers.map((worker) => worker.stop()));
    await client.close();
  };
}

/** The options of all workers of the test. */
export function workerOptions({ orders: { release, slots, leaseMs } }: RollingProcess): WorkerOptions {
  return {
    name: `${release} ${process.pid}`,
    concurrency: slots,
    leaseMs,
    // A lease that has expired is not announced.
    pollIntervalMs: 1_000,
    prefetch: slots,
    retry: patience,
    retention: { completedMs: Infinity },
  };
}
