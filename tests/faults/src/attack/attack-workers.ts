import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fates } from "@chainwright/backends/notify-fates";
import { readJournal, unfinishedIn } from "../work/journal.ts";
import type { StarterOrders } from "../work/starter-process.ts";
import type { WorkerOrders } from "../work/worker-process.ts";
import { runChild } from "./children.ts";
import type { Child } from "./children.ts";
import { noteEnd } from "./note-end.ts";
import type { Attack } from "./plan.ts";

const hourMs = 3_600_000;

/** Runs one worker after the other and ends each in some way, until the attack is over. */
export async function attackWorkers(attack: Attack, lane: number): Promise<void> {
  for (let life = 0; !attack.over; life += 1) {
    const journal = join(attack.folder, `worker-${lane}-${life}`);
    await liveAndEnd(attack, startAttacked(attack, journal), journal);
    rmSync(journal, { force: true });
  }
}

/** A worker on one of the roads, whose clock and notifications may be wrong. */
function startAttacked(attack: Attack, journal: string): Child {
  const { chance, tally } = attack;
  const migrates = chance.next() < 0.25;
  if (migrates) tally.migrationsAtWork += 1;
  return startWorker(attack, { journal, migrates, ...surroundingsOf(attack), skewMs: skewOf(attack) });
}

type Wrongs = Pick<WorkerOrders, "place" | "hints" | "journal" | "migrates" | "skewMs">;

export function startWorker(attack: Attack, wrongs: Wrongs): Child {
  const { concurrency, leaseMs } = attack.scale;
  const worker = runChild("worker-process", { ...wrongs, concurrency, leaseMs, blockShare: 0.0005 }, attack);
  void worker.ended.then((how) => noteEnd(attack.tally, wrongs.place, how));
  return worker;
}

/** The processes on a SQLite file share the clock of their machine, which is the store's time. */
function skewOf({ place, chance }: Attack): number {
  const isRight = place.kind === "sqlite" || chance.next() < 0.8;
  return isRight ? 0 : chance.oneOf([hourMs, -hourMs, 24 * hourMs, -24 * hourMs]);
}

/** What worker and starter have in common. */
function surroundingsOf({ chance, roads, tally }: Attack): Pick<WorkerOrders, "place" | "hints"> {
  const { place, lives } = chance.oneOf(roads);
  tally[lives] += 1;
  const hints = chance.next() < 0.5 ? "real" : chance.oneOf(fates);
  if (hints !== "real") tally.livesWithBadHints += 1;
  return { place, hints };
}

async function liveAndEnd(attack: Attack, worker: Child, journal: string): Promise<void> {
  const { chance, tally, scale } = attack;
  if ((await Promise.race([worker.begun.then(() => "begun"), worker.ended])) !== "begun") return;
  // On a busy machine it takes a while until it has begun a job.
  await Promise.race([untilBusy(journal, 5_000), worker.ended]);
  const life = delay(chance.between(20, scale.lifeMs)).then(() => "alive" as const);
  if ((await Promise.race([life, worker.ended])) !== "alive") {
    return; // no signal was sent: a poisoned job ended it
  }
  const how = chance.next();
  if (how < 0.04) {
    tally.workerStops += 1;
    worker.process.stdin?.end();
    await Promise.race([worker.ended, delay(15_000)]);
  } else if (how < 0.1) {
    tally.workerPauses += 1;
    worker.process.kill("SIGSTOP");
    await delay(3 * scale.leaseMs);
    worker.process.kill("SIGCONT");
    // It must notice by itself that it has lost its jobs.
    await Promise.race([worker.ended, delay(chance.between(20, scale.lifeMs))]);
  }
  // A kill at any moment would mostly hit a worker that has nothing to do while a deed has stopped the store. Of few kills, chance
  // alone may let less than half hit an attempt.
  const isAimed = chance.next() < 0.7;
  const hasMissed = tally.killsThatHit * 3 < tally.workerKills * 2;
  if (isAimed || hasMissed) await Promise.race([untilUnfinished(journal, hasMissed ? 10_000 : 2_000), worker.ended]);
  await kill(attack, worker, journal);
}

/** Waits until an attempt is under way, with a limit. */
async function untilUnfinished(journal: string, limitMs: number): Promise<void> {
  for (const until = Date.now() + limitMs; Date.now() < until && unfinishedIn(readJournal(journal)) === 0;)
    await delay(5);
}

/** Waits until a first attempt has begun, with a limit: there may be nothing to do. */
async function untilBusy(journal: string, limitMs: number): Promise<void> {
  for (const until = Date.now() + limitMs; Date.now() < until && readJournal(journal).length === 0;) await delay(20);
}

async function kill({ tally }: Attack, worker: Child, journal: string): Promise<void> {
  worker.process.kill("SIGKILL");
  if ((await worker.ended) !== "SIGKILL") return;
  const unfinished = unfinishedIn(readJournal(journal));
  tally.workerKills += 1;
  tally.interruptedAttempts += unfinished;
  if (unfinished > 0) tally.killsThatHit += 1;
}

/** Runs one starter after the other and kills it, until the attack is over; the last one ends by itself. */
export async function attackStarters(attack: Attack): Promise<void> {
  const { scale, chance, tally } = attack;
  while (!attack.over) {
    const journal = join(attack.folder, `starter-${attack.starterJournals.length}`);
    attack.starterJournals.push(journal);
    const { backlog, delayMs, shapes } = scale;
    const surroundings = surroundingsOf(attack);
    const orders: StarterOrders = {
      ...surroundings,
      journal,
      backlog,
      delayMs,
      keys: 8,
      shapes,
      operates: scale.deeds.has("operators"),
    };
    const starter = runChild("starter-process", orders, attack);
    await Promise.race([starter.begun, starter.ended]);
    const until = Date.now() + chance.between(2_000, 8_000);
    while (!attack.over && Date.now() < until) await delay(50);
    if (attack.over) {
      starter.process.stdin?.end();
      await Promise.race([starter.ended, delay(10_000)]);
    } else {
      tally.starterKills += 1;
    }
    starter.process.kill("SIGKILL");
    noteEnd(tally, surroundings.place, await starter.ended);
  }
}
