import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { openStore } from "../store/place.ts";
import { interfere, operate, preyOf } from "../work/interfere.ts";
import { eventsPath, journalEvents } from "../work/journal-events.ts";
import { openJournal } from "../work/journal.ts";
import { latenesses } from "../work/job-types.ts";
import { openClient } from "../work/open-client.ts";
import type { FaultClient } from "../work/open-client.ts";
import type { OpenStore } from "../store/open-store.ts";
import { startShape } from "../work/start-one.ts";
import { startWorker } from "./attack-workers.ts";
import { censusOf, sessionsAtRest } from "./census.ts";
import type { Child } from "./children.ts";
import type { Attack } from "./plan.ts";
import type { Road } from "./roads.ts";
import { workOff } from "./work-off.ts";

/** The name of the journals of processes that are not attacked. */
export const calmPrefix = "calm-";
const lastChange = "select coalesce(max(n), 0) from fault_change";
/** Time limits for calls that may hang. */
const workedOffMs = Number(process.env["QUIET"] ?? 180_000);
const endsMs = 30_000;

/** The findings of the phase without attacks. */
export interface Calm {
  /** The last change of state before it. */
  readonly since: number;
  /** By rule, how often. */
  readonly violations: Readonly<Record<string, number>>;
}

/**
 * Lets processes that are not attacked run chains of every shape: one worker on each road. Operators and
 * unruly handlers continue. Everything that these processes did must be reported, and everything that they opened must be closed.
 */
export async function keepCalm(attack: Attack): Promise<Calm> {
  const violations: Record<string, number> = {};
  violations["sessions of processes that have ended"] = (await sessionsAtRest(attack, () => false)).length;
  const since = await attack.examiner.count(lastChange);
  const workers = attack.roads.map((road, lane) => startCalmly(attack, road, lane));
  await Promise.all(workers.map((worker) => Promise.race([worker.begun, worker.ended])));
  const before = await Promise.all(workers.map((worker) => censusOf(worker)));
  const rests = await bringWork(attack);
  violations["calm processes that did not come to rest"] = rests ? 0 : 1;
  const taken = await Promise.all(workers.map((worker, lane) => censusOf(worker, before[lane])));
  violations["connections not given back"] = taken.filter((now, lane) => now > (before[lane] ?? 0)).length;
  const idle = await sessionsAtRest(attack, ({ idleInTransactionMs }) => idleInTransactionMs === undefined);
  violations["sessions left idle in transaction"] = idle.length;
  violations["processes that did not end when they were asked to"] = await endAll(workers);
  violations["sessions of processes that have ended"] += (await sessionsAtRest(attack, () => false)).length;
  return { since, violations };
}

function startCalmly(attack: Attack, { place }: Road, lane: number): Child {
  const journal = join(attack.folder, `${calmPrefix}worker-${lane}`);
  return startWorker(attack, { place, journal, hints: "real", migrates: false, skewMs: 0 });
}

/** Starts chains of every shape, interferes with them, and waits until nothing is left. */
async function bringWork(attack: Attack): Promise<boolean> {
  const store = openStore(attack.place);
  const path = join(attack.folder, `${calmPrefix}starter`);
  attack.starterJournals.push(path);
  const journal = openJournal(path);
  const client = openClient(store, { observers: [journalEvents(openJournal(eventsPath(path)))] });
  const { delayMs, shapes } = attack.scale;
  const starter = { client, store, journal, delayMs, keys: 8, shapes };
  const operator = { client, deleting: (id: string) => journal.write("deleting", id) };
  for (let round = 0; round < 5; round += 1) {
    await Promise.all(shapes.map((shape) => startShape(starter, shape)));
    if (attack.scale.deeds.has("operators")) await operate(operator);
  }
  if (shapes.includes("late")) {
    const starts = latenesses.map((how) => client.startChain({ typeName: "late", input: { delayMs: 0, how } }));
    await Promise.all([...starts, startShape(starter, "slow")]);
  }
  if (attack.scale.deeds.has("calls")) await rollBackCall(client, operator.deleting);
  const rests = await workOff(attack, client, workedOffMs, () => undefined);
  await close(client, store);
  return rests;
}

/** Its work is undone, and no event may report it. */
async function rollBackCall(client: FaultClient, deleting: (id: string) => void): Promise<void> {
  const prey = await preyOf(client);
  const call = client.transaction(async (tx) => {
    for (const id of prey.slice(0, 3)) await interfere({ client, deleting }, id, tx);
    await delay(100);
    throw new Error("rolled back, as planned");
  });
  await call.catch(() => undefined);
}

async function close(client: FaultClient, store: OpenStore): Promise<void> {
  await client.close();
  await store.notifyAdapter?.close();
  await store.close();
}

/** How many did not end by themselves, or ended with an error. */
async function endAll(workers: readonly Child[]): Promise<number> {
  const ends = workers.map(async (worker) => {
    worker.process.stdin?.end();
    const how = await Promise.race([worker.ended, delay(endsMs).then(() => "never")]);
    worker.process.kill("SIGKILL");
    await worker.ended;
    return how;
  });
  return (await Promise.all(ends)).filter((how) => how !== 0).length;
}
