// A worker in a process of its own, until it is killed or its input ends: node worker-process.ts <json>.
import { setTimeout as delay } from "node:timers/promises";
import { createWorker } from "chainwright";
import type { Fate } from "@chainwright/backends/notify-fates";
import type { StorePlace } from "../store/open-store.ts";
import { eventsPath, journalEvents } from "./journal-events.ts";
import { openJournal } from "./journal.ts";
import { openClient } from "./open-client.ts";
import { die } from "./die.ts";
import { openFatedStore } from "./open-fated-store.ts";
import { createFaultProcessors } from "./processors.ts";

export interface WorkerOrders {
  readonly place: StorePlace;
  /** The faults of its notifications. */
  readonly hints: Fate;
  readonly journal: string;
  readonly concurrency: number;
  readonly leaseMs: number;
  /** The error of this machine's clock. */
  readonly skewMs: number;
  /** Whether it migrates before it starts, like a deployed process. */
  readonly migrates: boolean;
  /** The share of attempts that keep the event loop busy for longer than their lease. */
  readonly blockShare: number;
}

/** The reply of a worker to a census. */
export interface Census {
  /** Connections of its pool that are in use. */
  readonly taken: number | undefined;
  readonly running: number;
  readonly waiting: number;
}

const orders = JSON.parse(process.argv[2] ?? "") as WorkerOrders;
const { concurrency, leaseMs, skewMs } = orders;

if (skewMs !== 0) {
  const { now } = Date;
  Date.now = () => now() + skewMs;
}

/** Tries until it succeeds, because the store may be unavailable. */
async function migrated(): Promise<void> {
  for (;;) {
    try {
      await store.stateAdapter.migrate();
      return;
    } catch {
      await delay(100);
    }
  }
}

function keepBusy(): void {
  const until = performance.now() + leaseMs * 2;
  while (performance.now() < until);
}

const journal = openJournal(orders.journal);
const store = await openFatedStore(orders.place, orders.hints);
const client = openClient(store, { observers: [journalEvents(openJournal(eventsPath(orders.journal)))] });
const worker = createWorker({
  client,
  processors: createFaultProcessors({
    client,
    store,
    began: ({ id, attempt }) => journal.write("begun", id, attempt),
    ended: ({ id, attempt }) => journal.write("ended", id, attempt),
    pause: async (ms) => {
      await delay(ms);
      if (Math.random() < orders.blockShare) keepBusy();
    },
    die,
    backoffMs: 50,
    leaseMs,
  }),
  concurrency,
  leaseMs,
  // An expired lease is not announced: workers find it when they look.
  pollIntervalMs: leaseMs,
  prefetch: concurrency,
  retention: { completedMs: Infinity },
});
if (orders.migrates) await migrated();
await worker.start();
process.stdout.write("begun\n");
// Each line asks for a census.
process.stdin.on("data", () => {
  const census: Census = { taken: store.taken(), ...worker.health() };
  process.stdout.write(`${JSON.stringify(census)}\n`);
});
process.stdin.once("end", () => {
  void (async () => {
    await worker.stop({ timeoutMs: 5_000 });
    await client.close();
    await store.notifyAdapter?.close();
    await store.close();
  })();
});
