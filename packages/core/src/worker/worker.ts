import { checkDuration, checkKeys } from "../checks/check-options.ts";
import type { Engine } from "../engine/engine.ts";
import type { HubPlace } from "../hints/hint-hub.ts";
import { ChainwrightError } from "../model/error.ts";
import type { WorkerEvent } from "../model/event.ts";
import type { Hint } from "../ports/notify.ts";
import { createExchangeLoop, handIn, look, runExchangeLoop, type ExchangeLoop } from "./exchange-loop.ts";
import { createHeldUp } from "./settle-one-by-one.ts";
import { createLeaseKeeper, type LeaseKeeper } from "./lease-keeper.ts";
import type { Processor } from "./processor.ts";
import { admit, createSlots, holdsAny, releaseBuffer, releaseRunning, unbegun, type Slots } from "./slots.ts";
import { createStopLimit } from "./stop-limit.ts";
import { createUpkeep, type Upkeep } from "./chores.ts";
import { createTurns, type Turns } from "../hints/look-order.ts";
import { createWindow } from "./prefetch-window.ts";
import { workerHealth, type WorkerHealth } from "./health.ts";
import type { CheckedWorkerOptions } from "./worker-options.ts";

/**
 * Runs the handlers of its processors over the jobs that the store has for them.
 *
 * @example
 * const worker: Worker = createWorker({ client, processors: [orderProcessors], concurrency: 10 });
 * await worker.start();
 * process.once("SIGTERM", () => void worker.stop({ timeoutMs: 30_000 }));
 */
export interface Worker extends AsyncDisposable {
  /** Unique to this worker; also its name in the store. */
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
   * Stops taking work, gives back what has not begun, and lets handlers end; after `timeoutMs` (default 30 s) it tells them to
   * stop by their signal and gives their jobs back. Resolves when everything is handed in. Idempotent; a later call that leaves
   * less time counts.
   *
   * @example
   * await worker.stop({ timeoutMs: 10_000 });
   * await client.close();
   */
  stop(options?: { readonly timeoutMs?: number | undefined }): Promise<void>;
  /**
   * When it last looked for work, and whether the store answers.
   *
   * @example
   * const { status, running, waiting } = worker.health();
   * console.log(`${status}: ${running} at work, ${waiting} claimed ahead`);
   */
  health(): WorkerHealth;
}

const stopKeys: ReadonlySet<string> = new Set(["timeoutMs"]);
/** How long a stopping worker lets handlers end unless told otherwise. */
const defaultStopTimeoutMs = 30_000;
/** With so many outcomes held up, and so many for each slot, a worker claims nothing more. */
const [fewestHeldUp, heldUpPerSlot] = [100, 10];

export function assembleWorker(
  engine: Engine,
  processors: ReadonlyMap<string, Processor>,
  options: CheckedWorkerOptions,
): Worker {
  const id = engine.newId();
  const { concurrency, leaseMs, pollIntervalMs } = options;
  const name = options.name ?? id;
  const types = Array.from(processors.values(), (processor) => ({
    typeName: processor.typeName,
    leaseMs: processor.leaseMs ?? leaseMs,
  }));
  const slots: Slots = createSlots({
    engine,
    workerId: id,
    concurrency,
    onEnded: (item) => (item === undefined ? loop.wakeUp.wake() : handIn(loop, item)),
  });
  const window = createWindow(options.prefetch);
  const find = (typeName: string) => settingsOf(processors, typeName, leaseMs);
  const typeNames = [...processors.keys()];
  const heldNow = () => slots.running.size + slots.buffer.length;
  const upkeep: Upkeep = createUpkeep(engine, { ...options, workerId: id, name, typeNames, holds: heldNow });
  const heldUp = createHeldUp({ engine, workerId: id, leases: slots.heldUp, onLeft: () => loop.wakeUp.wake() });
  const loop: ExchangeLoop = createExchangeLoop({
    engine,
    heldUp,
    workerId: id,
    types,
    pollIntervalMs,
    room: () => (isFull(slots) ? 0 : concurrency - slots.running.size + window.size - slots.buffer.length),
    onClaimed(jobs, claimedAt) {
      window.adjust(slots);
      slots.finished = 0;
      slots.starved = false;
      admit(slots, jobs, claimedAt, find);
    },
    onUnwanted(jobs) {
      for (const job of jobs)
        handIn(loop, unbegun(slots, { job, ...find(job.typeName), leasedUntil: engine.clock.now() }));
    },
    onLook: () => turns.begin(),
    isIdle: () => heldNow() === 0,
  });
  const turns = createTurns({
    clock: engine.clock,
    workerId: id,
    typeNames,
    concurrency,
    look: () => look(loop),
    isFree: () => loop.room() > 0,
    tell: engine.hub.tell,
  });
  const shortest = Math.min(leaseMs, ...types.map((type) => type.leaseMs));
  const keeper = createLeaseKeeper(slots, shortest / 3);
  return workerOf({ engine, id, name, slots, loop, keeper, upkeep, turns, types: new Set(processors.keys()) });
}

function settingsOf(processors: ReadonlyMap<string, Processor>, typeName: string, leaseMs: number) {
  const processor = processors.get(typeName);
  if (processor === undefined)
    throw new TypeError(`the state adapter returned a job of a type that was not asked for: ${typeName}`);
  return { processor, leaseMs: processor.leaseMs ?? leaseMs };
}

/** So many outcomes are held up that no more are made. */
function isFull({ heldUp, concurrency }: Slots): boolean {
  return heldUp.size >= Math.max(fewestHeldUp, concurrency * heldUpPerSlot);
}

interface Parts {
  readonly engine: Engine;
  readonly id: string;
  readonly name: string;
  readonly slots: Slots;
  readonly loop: ExchangeLoop;
  readonly keeper: LeaseKeeper;
  readonly upkeep: Upkeep;
  readonly turns: Turns;
  readonly types: ReadonlySet<string>;
}

function workerOf(parts: Parts): Worker {
  const { engine, id, name, slots, loop, keeper } = parts;
  let running: Promise<void> | undefined;
  let place: HubPlace | undefined;
  let stopped: Promise<void> | undefined;
  const limit = createStopLimit(engine.clock, () => releaseRunning(slots));

  const start = async (): Promise<void> => {
    if (stopped !== undefined) throw new ChainwrightError("closed", "the worker has been stopped; create a new one.");
    if (running !== undefined) return;
    engine.staff.admit(parts.types);
    engine.events.record([{ type: "worker-started", workerId: id, name }, ...smallPoolEvents(parts)], undefined);
    place = engine.hub.listen({
      onHints: (hints) => hear(parts, hints),
      onLook: () => lookAround(parts),
      onMeeting: () => {
        // The others have been told that it leaves.
        if (!loop.stopping) parts.turns.greet();
      },
    });
    // It looks at once, whatever becomes of the subscription, and again when the subscription is open.
    running = runExchangeLoop(loop);
    keeper.start();
    parts.upkeep.start();
    await place.opened;
  };
  const stop = async (): Promise<void> => {
    engine.events.record([{ type: "worker-stopping", workerId: id, name }], undefined);
    loop.stopping = true;
    parts.turns.leave();
    for (const outcome of releaseBuffer(slots)) handIn(loop, outcome);
    loop.wakeUp.interrupt();
    // With the store out of reach nothing can be handed in; the leases then run out by themselves.
    await Promise.race([goodbye(running, parts), limit.passed]);
    loop.abandoned = true;
    loop.heldUp.abandon();
    // It may still wait for the store: no more of it begins.
    if (running !== undefined) void parts.upkeep.leave();
    loop.wakeUp.interrupt();
    limit.clear();
    keeper.stop();
    slots.deadlines.clear();
    place?.leave();
    engine.events.record([{ type: "worker-stopped", workerId: id, name }], undefined);
    await engine.staff.dismiss(parts.types);
  };
  const stopOnce = async (options: { readonly timeoutMs?: number | undefined } = {}): Promise<void> => {
    checkKeys(options, stopKeys, "worker.stop");
    const { timeoutMs = defaultStopTimeoutMs } = options;
    const limitMs = timeoutMs === Infinity ? timeoutMs : checkDuration(timeoutMs, "timeoutMs");
    // The first call and each later one count: whichever leaves less time.
    limit.shorten(limitMs);
    await (stopped ??= stop());
  };

  return {
    id,
    name,
    start,
    stop: stopOnce,
    health: () => workerHealth(parts, running !== undefined),
    [Symbol.asyncDispose]: () => stopOnce(),
  };
}

function smallPoolEvents({ engine, id, slots, loop }: Parts): readonly WorkerEvent[] {
  const { connections } = engine.state;
  if (connections === undefined || connections > 1) return [];
  const leaseMs = Math.min(...loop.types.map((type) => type.leaseMs));
  return [{ type: "pool-too-small", workerId: id, connections, concurrency: slots.concurrency, leaseMs }];
}

/** The last exchange, the last outcome, then the last heartbeat. A worker that never started has nothing to say. */
async function goodbye(running: Promise<void> | undefined, { loop, upkeep }: Parts): Promise<void> {
  await running;
  await loop.heldUp.idle();
  if (running !== undefined) await upkeep.leave();
}

function hear({ loop, keeper, slots, turns, types }: Parts, hints: readonly Hint[]): void {
  const interrupted: string[] = [];
  for (const hint of hints) {
    switch (hint.kind) {
      case "ready":
        if (hint.draw !== undefined) turns.ready(hint);
        else if (types.has(hint.typeName)) look(loop);
        break;
      case "taken":
        turns.taken(hint);
        break;
      case "left":
        turns.left(hint.workerId);
        break;
      case "interrupt":
        interrupted.push(hint.jobId);
        break;
      default:
    }
  }
  if (holdsAny(slots, interrupted)) keeper.check();
}

/** Hints were missed: there may be work, and what is held may have been cancelled. */
function lookAround({ loop, keeper }: Parts): void {
  look(loop);
  keeper.check();
}
