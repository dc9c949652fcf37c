import { claimName } from "../model/claim-name.ts";
import type { ClaimType } from "../ports/exchange.ts";
import type { Engine } from "../engine/engine.ts";
import { createLookOrder } from "../hints/look-order.ts";
import { createTimeLimit, type TimeLimit } from "../timing/time-limit.ts";
import { createWakeUp } from "../timing/wake-up.ts";
import type { Looking } from "../worker/hear-of-work.ts";
import { createLimitedJobs, type LimitedJobs } from "../worker/limited-jobs.ts";
import { createNextLook, lookNow, untilNextLook } from "../worker/next-look.ts";
import { createAsks, type Asks } from "./asks.ts";
import type { DealtLeases } from "./dealt-leases.ts";
import type { Outgoing } from "./outgoing.ts";
import type { Policies } from "./remote-options.ts";

export interface ClaimLoopOptions {
  readonly engine: Engine;
  readonly workerId: string;
  readonly policies: Policies;
  /** None: it only hands in outcomes. */
  readonly claimed: readonly ClaimType[];
  readonly dealt: DealtLeases;
  readonly pollIntervalMs: number;
}

/**
 * The conversation with the store about one set of types. It is that of a worker without slots: jobs go to those who ask, and outcomes
 * come from them. All that is asked for and handed in while a round trip is under way goes with the next one.
 */
export interface ClaimLoop extends ClaimLoopOptions, Looking {
  readonly asks: Asks;
  readonly outbox: Outgoing[];
  readonly limitedJobs: LimitedJobs;
  readonly timeLimit: TimeLimit;
  stopping: boolean;
  /** When it was last used. */
  usedAt: number;
  /** Which type is first in the next claim: types take turns. */
  rotation: number;
}

const exchangeLimitMs = 30_000;
/** How long a loop that no one uses is kept. */
const lingerMs = 60_000;
/** How many jobs the others expect it to take with one look. */
const expected = 10;

export function createClaimLoop(options: ClaimLoopOptions): ClaimLoop {
  const { engine, claimed, pollIntervalMs } = options;
  const { clock, hub } = engine;
  const wakeUp = createWakeUp(clock);
  // Loops take turns as workers do, so each of them has an id of its own for that.
  const lookId = engine.newId();
  const nextLook = createNextLook({ engine, workerId: lookId, wakeUp, pollIntervalMs, nextPollMs: pollIntervalMs });
  const look = (): void => lookNow(nextLook);
  const asks = createAsks(clock);
  const typeNames = claimed.map(claimName);
  const isFree = (): boolean => asks.wanted > 0;
  const order = { clock, workerId: lookId, typeNames, concurrency: expected, look, isFree, send: hub.send };
  const limited = { clock, limits: engine.types.limits, types: claimed, send: hub.send, onLook: look };
  return {
    ...options,
    types: new Set(claimed.map(({ typeName }) => typeName)),
    nextLook,
    lookOrder: createLookOrder(order),
    limitedJobs: createLimitedJobs(limited),
    // The store decides at each claim what is paused.
    pausedTypes: { has: () => false, resume: () => undefined },
    asks,
    outbox: [],
    timeLimit: createTimeLimit(clock, { limitMs: exchangeLimitMs, who: "the store" }),
    stopping: false,
    usedAt: clock.now(),
    rotation: 0,
  };
}

/** Something was added: it goes out with the next round trip. */
export function wake(loop: ClaimLoop): void {
  loop.usedAt = loop.engine.clock.now();
  loop.nextLook.wakeUp.wake();
}

interface Running {
  readonly exchangeOnce: (loop: ClaimLoop) => Promise<void>;
  /** Called when nothing may be added to the loop any more. */
  readonly onOver: () => void;
}

/** Runs until it has stopped, or no one has used it for a while. Never rejects. */
export async function runClaimLoop(loop: ClaimLoop, { exchangeOnce, onOver }: Running): Promise<void> {
  const { asks, outbox, nextLook } = loop;
  while (!isOver(loop)) {
    const looks = asks.wanted > 0 && !nextLook.isDry && !loop.stopping;
    if (looks || outbox.length > 0) await exchangeOnce(loop);
    else await untilNextLook(nextLook);
  }
  onOver();
  loop.lookOrder.leave();
}

function isOver({ engine, asks, outbox, stopping, usedAt }: ClaimLoop): boolean {
  if (outbox.length > 0 || asks.size > 0) return false;
  return stopping || engine.clock.now() - usedAt >= lingerMs;
}
