// Starts chains and looks after them, until it is killed or its input ends: node starter-process.ts <json>.
import { setTimeout as delay } from "node:timers/promises";
import { inspect } from "node:util";
import { isChainwrightError } from "chainwright";
import type { Fate } from "@chainwright/backends/notify-fates";
import type { StorePlace } from "../store/open-store.ts";
import { attend } from "./attend.ts";
import { operate } from "./interfere.ts";
import { eventsPath, journalEvents } from "./journal-events.ts";
import { openJournal } from "./journal.ts";
import { openClient } from "./open-client.ts";
import { openFatedStore } from "./open-fated-store.ts";
import { OwnError } from "./own-transaction.ts";
import { startOne } from "./start-one.ts";
import type { Shapes } from "./shapes.ts";

export interface StarterOrders {
  readonly place: StorePlace;
  /** The faults of its notifications. */
  readonly hints: Fate;
  readonly journal: string;
  /** Starts no more while this many jobs are open. */
  readonly backlog: number;
  /** How long a handler takes at most. */
  readonly delayMs: number;
  readonly keys: number;
  readonly shapes: Shapes;
  /** Whether it interferes with running chains. */
  readonly operates: boolean;
}

const orders = JSON.parse(process.argv[2] ?? "") as StarterOrders;
const { place, hints, journal: path, backlog, delayMs, keys, shapes, operates } = orders;
const journal = openJournal(path);
const store = await openFatedStore(place, hints);
const client = openClient(store, { observers: [journalEvents(openJournal(eventsPath(path)))] });
const life = new AbortController();
process.stdin.resume();
process.stdin.once("end", () => life.abort());

async function openJobs(): Promise<number> {
  const counts = Object.values(await client.countJobs());
  return counts.reduce((sum, { ready, running, blocked, scheduled }) => sum + ready + running + blocked + scheduled, 0);
}

/** Repeats a call until the process ends. */
async function repeat(turn: (round: number) => Promise<unknown>): Promise<void> {
  for (let round = 0; !life.signal.aborted; round += 1) {
    try {
      await turn(round);
    } catch (error) {
      // The store is away: nothing was acknowledged. All other errors have a code too.
      if (!(error instanceof OwnError) && !isChainwrightError(error)) {
        journal.write("uncoded");
        process.stderr.write(`failed without a code: ${inspect(error)}\n`);
      }
      await delay(50);
    }
  }
}

const around = { client, store, journal, delayMs, keys, shapes };
const operator = { client, deleting: (chainId: string) => journal.write("deleting", chainId) };
process.stdout.write("begun\n");
/** It leaves most of the work to other processes. */
async function operateAndRest(): Promise<void> {
  await operate(operator);
  await delay(300);
}

const operating = operates ? repeat(operateAndRest) : undefined;
await repeat(async (round) => {
  if (round % 10 === 0) await attend(client);
  if ((await openJobs()) >= backlog) return delay(20);
  await Promise.all(Array.from({ length: 20 }, () => startOne(around)));
});
await operating;
await client.close();
await store.notifyAdapter?.close();
await store.close();
