import { ChainwrightError } from "../model/error.ts";
import type { WorkerEvent } from "../model/event.ts";
import { checkDuration, checkKeys } from "../checks/check-options.ts";
import type { HubPlace } from "../hints/hint-hub.ts";
import type { Engine } from "../engine/engine.ts";
import { runExchangeLoop } from "./exchange-loop.ts";
import { handBackWaiting } from "./hand-back.ts";
import { findBatchIn } from "./find-batch.ts";
import { workerHealth, type WorkerHealth } from "./health.ts";
import { lookNow } from "./next-look.ts";
import type { Processor } from "./processor.ts";
import { handBackRunning } from "./slots.ts";
import { createStopLimit, type StopLimit } from "./stop-limit.ts";
import { workerListener } from "./worker-listener.ts";
import type { CheckedWorkerOptions } from "./worker-options.ts";
import { createWorkerParts, type WorkerParts } from "./worker-parts.ts";

/**
 * Runs the handlers of its processors over the jobs that the store has for them.
 *
 * @example
 * const worker: Worker = createWorker({ client, processors: [orderProcessors], concurrency: 10 });
 * await worker.start();
 * process.once("SIGTERM", () => void worker.stop({ timeoutMs: 30_000 }));
 */
export interface Worker extends AsyncDisposable {
  /** Unique to this worker; also its id in the store. */
  readonly id: string;
  readonly name: string;
  /**
   * Begins to claim. Resolves when wake-ups arrive and the first look is under way.
   *
   * @example
   * const worker = createWorker({ client, processors: [mailProcessors] });
   * await worker.start();
   */
  start(): Promise<void>;
  /**
   * Stops claiming, gives back the jobs that have not begun, and lets handlers end; after `timeoutMs` (default 30 s) it
   * aborts their signal and gives their jobs back. Resolves when everything is handed in. Idempotent; a later call that
   * leaves less time counts.
   *
   * @example
   * await worker.stop({ timeoutMs: 10_000 });
   * await client.close();
   */
  stop(options?: StopOptions): Promise<void>;
  /**
   * Claims no more jobs and gives back those that have not begun, until `resume`. Handlers continue, and their outcomes are stored; it
   * renews their leases as before. For this worker only: other workers take what it leaves. Before `start` it has the same effect.
   *
   * @example
   * process.on("SIGUSR1", () => worker.pause());
   * process.on("SIGUSR2", () => worker.resume());
   */
  pause(): void;
  /**
   * Claims again, at once.
   *
   * @example
   * worker.pause(); // the maintenance needs the whole machine
   * await pool.query("vacuum analyze orders");
   * worker.resume();
   */
  resume(): void;
  /**
   * When it last looked for work, and whether the store responds.
   *
   * @example
   * const { status, running, waiting } = worker.health();
   * console.log(`${status}: ${running} running, ${waiting} claimed ahead`);
   */
  health(): WorkerHealth;
}

interface StopOptions {
  readonly timeoutMs?: number | undefined;
}

const stopKeys = { timeoutMs: true } satisfies Record<keyof StopOptions, true>;
/** How long a stopping worker lets handlers end by default. */
const defaultStopTimeoutMs = 30_000;

export function assembleWorker(
  engine: Engine,
  processors: ReadonlyMap<string, Processor>,
  checked: CheckedWorkerOptions,
): Worker {
  const parts = createWorkerParts(engine, processors, checked);
  const { id, name, loop, keeper, chores } = parts;
  let running: Promise<void> | undefined;
  let place: HubPlace | undefined;
  let stopped: Promise<void> | undefined;
  const findBatch = findBatchIn(parts);
  const limit = createStopLimit(engine.clock, () => handBackRunning(parts.slots));

  const start = async (): Promise<void> => {
    if (stopped !== undefined) throw new ChainwrightError("closed", "the worker has been stopped; create a new one.");
    if (running !== undefined) return;
    engine.lifetime.admit(parts.types);
    engine.events.record([{ type: "worker-started", workerId: id, name }, ...smallPoolEvents(parts)], undefined);
    place = engine.hub.listen(workerListener(parts));
    // It looks at once, whether or not the subscription opens, and again when the subscription is open.
    running = runExchangeLoop(loop);
    engine.gatherings.add(findBatch);
    keeper.start();
    chores.start();
    await place.opened;
  };
  const stop = async (): Promise<void> => {
    await shutDown(parts, running, limit);
    place?.leave();
    engine.gatherings.delete(findBatch);
    engine.events.record([{ type: "worker-stopped", workerId: id, name }], undefined);
    await engine.lifetime.dismiss(parts.types);
  };
  const stopOnce = async (options: StopOptions = {}): Promise<void> => {
    checkKeys(options, stopKeys, "worker.stop");
    const { timeoutMs = defaultStopTimeoutMs } = options;
    const limitMs = timeoutMs === Infinity ? timeoutMs : checkDuration(timeoutMs, "timeoutMs");
    // Of several calls the one counts that leaves the least time.
    limit.shorten(limitMs);
    await (stopped ??= stop());
  };

  return {
    id,
    name,
    start,
    stop: stopOnce,
    pause: () => setPaused(parts, true),
    resume: () => setPaused(parts, false),
    health: () => workerHealth(parts, running !== undefined),
    [Symbol.asyncDispose]: () => stopOnce(),
  };
}

/** A worker that stops has given back what it can. */
function setPaused({ engine, id, name, loop, slots, outbox, nextLook }: WorkerParts, paused: boolean): void {
  if (loop.stopping || loop.paused === paused) return;
  loop.paused = paused;
  engine.events.record([{ type: paused ? "worker-paused" : "worker-resumed", workerId: id, name }], undefined);
  if (!paused) return lookNow(nextLook);
  handBackWaiting(slots);
  outbox.wakeUp.wake();
}

function smallPoolEvents({ engine, id, slots, shortestLeaseMs }: WorkerParts): readonly WorkerEvent[] {
  const { connections } = engine.state;
  if (connections === undefined || connections > 1) return [];
  const { concurrency } = slots;
  return [{ type: "pool-too-small", workerId: id, connections, concurrency, leaseMs: shortestLeaseMs }];
}

/** Gives back what has not begun, waits for the rest until the limit has passed, and ends all parts. */
async function shutDown(parts: WorkerParts, running: Promise<void> | undefined, limit: StopLimit): Promise<void> {
  const { engine, id, name, slots, loop, keeper, chores, outbox, oneByOne, lookOrder, lag, pausedTypes, notePump } =
    parts;
  engine.events.record([{ type: "worker-stopping", workerId: id, name }], undefined);
  loop.stopping = true;
  lookOrder.leave();
  handBackWaiting(slots);
  outbox.wakeUp.interrupt();
  // While the store is away nothing can be handed in; the leases then run out by themselves.
  await Promise.race([finishWork(running, parts), limit.passed]);
  loop.abandoned = true;
  oneByOne.abandon();
  // If it still waits for the store, no further chore begins.
  if (running !== undefined) void chores.leave();
  outbox.wakeUp.interrupt();
  limit.clear();
  keeper.stop();
  lag.stop();
  pausedTypes.stop();
  notePump.stop();
  slots.deadlines.clear();
  slots.gathering.stop();
}

/** The last exchange, the last outcome, then the last heartbeat. A worker that never started sends no heartbeat. */
async function finishWork(running: Promise<void> | undefined, { oneByOne, chores }: WorkerParts): Promise<void> {
  await running;
  await oneByOne.idle();
  if (running !== undefined) await chores.leave();
}
