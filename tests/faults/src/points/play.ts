import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { createWorker } from "chainwright";
import { attend } from "../work/attend.ts";
import { openClient } from "../work/open-client.ts";
import { createFaultProcessors } from "../work/processors.ts";
import type { OpenStore } from "../store/open-store.ts";
import type { Bench } from "./bench.ts";
import { createHurriedClock } from "./hurried-clock.ts";
import type { Shape } from "./shapes.ts";

export interface Point<Kind extends string> {
  readonly shape: Shape;
  readonly accident: Kind;
  /** The number of the statement or message of the first process. */
  readonly at: number;
}

const openChains = "select count(*) from fault_job where chain_status = 'active'";
const brokenChains = "select count(*) from fault_job where chain_status = 'failed'";
const leaseMs = 5_000;
/** Real time. */
const limitMs = 30_000;

/** The remaining work of a point, for any process. */
interface Progress {
  readonly id: string;
  acknowledged: number;
}

/** Runs one chain with an accident; another process finishes it if the first one dies. Returns whether the accident happened. */
export async function playPoint<Kind extends string>(
  bench: Bench<Kind>,
  { shape, accident, at }: Point<Kind>,
): Promise<boolean> {
  const progress: Progress = { id: randomUUID(), acknowledged: 0 };
  if (shape.doomed) await bench.examiner.say("doomed", [progress.id]);
  let happened = false;
  // The second process has no accidents.
  for (const place of [at, Infinity]) {
    const { wire, store, vanish } = await bench.open(accident, place);
    const ended = await live(bench, shape, progress, { store, vanish, isDead: () => wire.dead });
    happened ||= wire.tripped;
    if (ended) return happened;
    bench.time.aheadMs += 2 * leaseMs;
  }
  throw new Error(`${shape.name}, ${accident} at ${at}: the second process did not end it`);
}

type Surroundings = Pick<Bench<string>, "time" | "examiner" | "whole">;

interface Process {
  readonly store: OpenStore;
  readonly vanish: () => void;
  readonly isDead: () => boolean;
}

/** One process from start to end. Returns whether all work was done when it ended. */
async function live(
  bench: Surroundings,
  shape: Shape,
  progress: Progress,
  { store, vanish, isDead }: Process,
): Promise<boolean> {
  const clock = createHurriedClock(bench.time);
  const client = openClient(store, { clock });
  const worker = createWorker({
    client,
    processors: createFaultProcessors({
      client,
      store,
      began: () => undefined,
      ended: () => undefined,
      pause: async () => undefined,
      die: () => {
        throw new Error("no poison here");
      },
      backoffMs: 50,
      leaseMs,
    }),
    leaseMs,
    retention: { completedMs: Infinity },
  });
  await worker.start();
  const until = performance.now() + limitMs;
  const late = () => performance.now() > until;
  while (progress.acknowledged < shape.calls.length && !isDead() && !late()) {
    try {
      await shape.calls[progress.acknowledged]?.(client, progress.id);
      progress.acknowledged += 1;
    } catch {
      await delay(1);
    }
  }
  const ended = progress.acknowledged === shape.calls.length && (await untilEnded(bench, () => isDead() || late()));
  if (isDead()) {
    clock.stop();
    vanish();
  } else {
    await worker.stop();
  }
  await client.close();
  await store.close();
  return ended;
}

/** Waits until no chain is open, retries broken chains, and lets time pass. */
async function untilEnded(bench: Surroundings, isOver: () => boolean): Promise<boolean> {
  const client = openClient(bench.whole, { clock: createHurriedClock(bench.time) });
  try {
    for (let round = 1; !isOver(); round += 1) {
      // Open chains first: the second call finds one that fails between the two.
      const open = await bench.examiner.count(openChains);
      const failed = await bench.examiner.count(brokenChains);
      if (open === 0 && failed === 0) return true;
      if (open === 0) await attend(client);
      await delay(1);
      // A lease whose holder never got the reply expires.
      if (round % 100 === 0) bench.time.aheadMs += 2 * leaseMs;
    }
    return false;
  } finally {
    await client.close();
  }
}
