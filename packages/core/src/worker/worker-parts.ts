import type { Engine } from "../engine/engine.ts";
import type { ClaimType } from "../ports/exchange.ts";
import { createLookOrder, type LookOrder } from "../hints/look-order.ts";
import { claimName } from "../model/claim-name.ts";
import { createWakeUp } from "../timing/wake-up.ts";
import { createChores, type Chores } from "./chores.ts";
import { claimTypes } from "./claim-types.ts";
import { createExchangeLoop, hasRoom, takePlaceAgain, takesJobs, type ExchangeLoop } from "./exchange-loop.ts";
import { createLimitedJobs, type LimitedJobs } from "./limited-jobs.ts";
import { createLeaseKeeper, type LeaseKeeper } from "./lease-keeper.ts";
import { createLoopLag, type LoopLag } from "./loop-lag.ts";
import { handBackWaiting } from "./hand-back.ts";
import { countHeld, type Slots } from "./held.ts";
import { heldJobs } from "./held-leases.ts";
import { notedListener } from "./notes/noted-listener.ts";
import { createNotePump } from "./notes/note-pump.ts";
import type { NotePump } from "./notes/note-pump.ts";
import { createNextLook, lookNow, type NextLook } from "./next-look.ts";
import { createOutbox, type Outbox } from "./outbox.ts";
import { createPausedTypes, type PausedTypes } from "./paused-types.ts";
import type { Processor } from "./processor.ts";
import { createOneByOne, type OneByOne } from "./settle-one-by-one.ts";
import type { LeasedJob } from "./sent-outcome.ts";
import { createSlots } from "./slots.ts";
import type { CheckedWorkerOptions } from "./worker-options.ts";

/** The parts of a worker. Each one uses only parts that are made before it. */
export interface WorkerParts {
  readonly engine: Engine;
  readonly id: string;
  readonly name: string;
  /** The names of its job types. */
  readonly types: ReadonlySet<string>;
  readonly shortestLeaseMs: number;
  readonly outbox: Outbox;
  readonly slots: Slots;
  readonly nextLook: NextLook;
  readonly lookOrder: LookOrder;
  readonly pausedTypes: PausedTypes;
  readonly limitedJobs: LimitedJobs;
  readonly oneByOne: OneByOne;
  readonly loop: ExchangeLoop;
  readonly keeper: LeaseKeeper;
  readonly chores: Chores;
  readonly lag: LoopLag;
  readonly notePump: NotePump;
}

export function createWorkerParts(
  engine: Engine,
  processors: ReadonlyMap<string, Processor>,
  options: CheckedWorkerOptions,
): WorkerParts {
  const workerId = engine.newId();
  const { concurrency, leaseMs, pollIntervalMs, firstPollMs, pools, codeVersion } = options;
  const { clock } = engine;
  const name = options.name ?? workerId;
  const typeNames = [...processors.keys()];
  const types = claimTypes(processors.values(), engine.types.versions, { pools, defaultLeaseMs: leaseMs });
  const shortestLeaseMs = Math.min(leaseMs, ...types.map((type) => type.leaseMs));

  const wakeUp = createWakeUp(clock);
  const outbox = createOutbox(wakeUp);
  const lag = createLoopLag({ engine, workerId, leaseMs: shortestLeaseMs, heldJobs: () => heldJobs(slots) });
  const { blockedMs } = lag;
  const notePump = createNotePump({ engine, onNoted: notedListener(engine, workerId) });
  const noting = { pump: notePump, isStopping: () => loop.stopping };
  const onEnded = (job: LeasedJob, isPutBack = false): void => takePlaceAgain(loop, job, isPutBack);
  const slots = createSlots({ ...options, engine, workerId, processors, outbox, blockedMs, onEnded, noting });
  const nextLook = createNextLook({ engine, workerId, wakeUp, pollIntervalMs, nextPollMs: firstPollMs });
  const lookOrder = createLookOrder({
    clock,
    workerId,
    typeNames: types.map(claimName),
    concurrency,
    look: () => lookNow(nextLook),
    isFree: () => takesJobs(loop) && hasRoom(loop),
    send: engine.hub.send,
  });
  const pausedTypes = pausedTypesOf(types, slots, nextLook);
  const limitedJobs = limitedJobsOf(engine, types, nextLook);
  const oneByOne = createOneByOne({ engine, workerId, leases: slots.unsettled, outbox, onEnded });
  const looking = { pausedTypes, limitedJobs, nextLook, lookOrder };
  const loop = createExchangeLoop({ engine, workerId, ...looking, outbox, slots, oneByOne, lag, codeVersion });
  const keeper = createLeaseKeeper(slots, shortestLeaseMs / 3, lag);
  const holds = (): number => countHeld(slots);
  const serves = () => ({ typeNames, pools: options.pools });
  const chores = createChores(engine, { ...options, workerId, name, serves, holds, pausedTypes, limitedJobs });
  return {
    engine,
    id: workerId,
    name,
    types: new Set(typeNames),
    shortestLeaseMs,
    outbox,
    slots,
    nextLook,
    lookOrder,
    pausedTypes,
    limitedJobs,
    oneByOne,
    loop,
    keeper,
    chores,
    lag,
    notePump,
  };
}

function limitedJobsOf(engine: Engine, types: readonly ClaimType[], nextLook: NextLook): LimitedJobs {
  const { clock, hub } = engine;
  const { limits } = engine.types;
  return createLimitedJobs({ clock, limits, types, send: hub.send, onLook: () => lookNow(nextLook) });
}

/** When types are paused, what has not begun goes back; after a pause the worker looks. */
function pausedTypesOf(types: readonly ClaimType[], slots: Slots, nextLook: NextLook): PausedTypes {
  const pausedTypes = createPausedTypes({
    clock: slots.engine.clock,
    types,
    onPaused() {
      handBackWaiting(slots, ({ typeName }) => pausedTypes.has(typeName));
      nextLook.wakeUp.wake();
    },
    onResumed: () => lookNow(nextLook),
  });
  return pausedTypes;
}
