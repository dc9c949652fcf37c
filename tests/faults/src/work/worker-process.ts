// A worker in a process of its own, until it is killed or its input ends: node worker-process.ts <json>.
import { setTimeout as delay } from "node:timers/promises";
import { createWorker } from "chainwright";
import { openStore } from "../store/place.ts";
import type { StorePlace } from "../store/open-store.ts";
import { openJournal } from "./journal.ts";
import { openClient } from "./open-client.ts";
import { createFaultProcessors } from "./processors.ts";

export interface WorkerOrders {
  readonly place: StorePlace;
  readonly journal: string;
  readonly concurrency: number;
  readonly leaseMs: number;
  /** How wrong this machine's clock is. */
  readonly skewMs: number;
  /** The share of attempts that keep the event loop busy for longer than their lease. */
  readonly blockShare: number;
}

const {
  place,
  journal: path,
  concurrency,
  leaseMs,
  skewMs,
  blockShare,
} = JSON.parse(process.argv[2] ?? "") as WorkerOrders;

if (skewMs !== 0) {
  const { now } = Date;
  Date.now = () => now() + skewMs;
}

function keepBusy(): void {
  const until = performance.now() + leaseMs * 2;
  while (performance.now() < until);
}

const journal = openJournal(path);
const store = openStore(place);
const client = openClient(store);
const worker = createWorker({
  client,
  processors: createFaultProcessors({
    client,
    store,
    began: ({ id, attempt }) => journal.write("begun", id, attempt),
    ended: ({ id, attempt }) => journal.write("ended", id, attempt),
    pause: async (ms) => {
      await delay(ms);
      if (Math.random() < blockShare) keepBusy();
    },
    die: () => process.exit(13),
    backoffMs: 50,
  }),
  concurrency,
  leaseMs,
  // A lease that runs out is not announced: it is found by looking.
  pollIntervalMs: leaseMs,
  prefetch: concurrency,
  retention: { completedMs: Infinity },
});
await worker.start();
process.stdout.write("begun\n");
process.stdin.resume();
process.stdin.once("end", () => {
  void (async () => {
    await worker.stop({ timeoutMs: 5_000 });
    await client.close();
    await store.notifyAdapter?.close();
    await store.close();
  })();
});
