import { createWorker } from "chainwright";
import type { RollingProcess } from "./open-process.ts";
import { openSharedClient } from "./shared-client.ts";
import { patience, sharedProcessors } from "./shared-processors.ts";

/** Starts workers of the shared job types. Returns a function that stops them. */
export async function runSharedWorkers(rolling: RollingProcess): Promise<() => Promise<void>> {
  const client = openSharedClient(rolling);
  const processors = [sharedProcessors(rolling, client)];
  const workers = Array.from({ length: rolling.orders.workers }, () =>
    createWorker({ client, processors, ...workerOptions(rolling) }),
  );
  await Promise.all(workers.map((worker) => worker.start()));
  return async () => {
    await Promise.all(workers.map((worker) => worker.stop()));
    await client.close();
  };
}

/** The options of all workers of the test. */
function workerOptions({ orders: { release, slots, leaseMs } }: RollingProcess) {
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
