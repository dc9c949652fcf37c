// Starts chains and looks after them, until it is killed or its input ends: node starter-process.ts <json>.
import { setTimeout as delay } from "node:timers/promises";
import type { Fate } from "@chainwright/backends/notify-fates";
import type { StorePlace } from "../store/open-store.ts";
import { attend } from "./attend.ts";
import { openJournal } from "./journal.ts";
import { openClient } from "./open-client.ts";
import { openFatedStore } from "./open-fated-store.ts";
import { startOne } from "./start-one.ts";
import type { Shapes } from "./shapes.ts";

export interface StarterOrders {
  readonly place: StorePlace;
  /** What becomes of its notifications. */
  readonly hints: Fate;
  readonly journal: string;
  /** Starts no more while so many jobs are open. */
  readonly backlog: number;
  /** How long a handler takes at most. */
  readonly delayMs: number;
  readonly keys: number;
  readonly shapes: Shapes;
}

const orders = JSON.parse(process.argv[2] ?? "") as StarterOrders;
const { place, hints, journal: path, backlog, delayMs, keys, shapes } = orders;
const journal = openJournal(path);
const store = await openFatedStore(place, hints);
const client = openClient(store);
const life = new AbortController();
process.stdin.resume();
process.stdin.once("end", () => life.abort());

async function openJobs(): Promise<number> {
  const counts = Object.values(await client.countJobs());
  return counts.reduce((sum, { ready, running, blocked, scheduled }) => sum + ready + running + blocked + scheduled, 0);
}

const around = { client, journal, delayMs, keys, shapes };
process.stdout.write("begun\n");
for (let round = 0; !life.signal.aborted; round += 1) {
  try {
    if ((await openJobs()) >= backlog) await delay(20);
    else await Promise.all(Array.from({ length: 20 }, () => startOne(around)));
    if (round % 10 === 0) await attend(client);
  } catch {
    // The store is away: nothing was acknowledged.
    await delay(50);
  }
}
await client.close();
await store.notifyAdapter?.close();
await store.close();
