import { createTimeLimit, type TimeLimit } from "../timing/time-limit.ts";
import type { Timer } from "../ports/clock.ts";
import type { HeldLease, UnrenewedLease } from "../ports/lease.ts";
import { drop, dropExpired, hasExpired, heldLeases, noteRenewed } from "./held-leases.ts";
import { handBackOld } from "./hand-back.ts";
import type { LoopLag } from "./loop-lag.ts";
import type { Slots } from "./held.ts";

/** Renews the leases of a worker: one statement in each interval, and none while all leases are young. */
export interface LeaseKeeper {
  start(): void;
  stop(): void;
  /** Asks the store at once, because a hint reports that a held job was cancelled or ended from outside. */
  check(): void;
}

/** Longer than a store with one writer keeps a transaction open by default. */
const longestWaitMs = 120_000;

export function createLeaseKeeper(slots: Slots, intervalMs: number, lag: Pick<LoopLag, "check">): LeaseKeeper {
  const { clock, state } = slots.engine;
  let timer: Timer | undefined;
  // In a store with one writer a renewal waits for the open transaction. Meanwhile no worker can claim the jobs of expired leases.
  const waitsForOthers = state.insideTransaction !== undefined;
  // In other stores a renewal that takes longer than a lease is useless.
  const limitMs = waitsForOthers ? Math.max(longestWaitMs, intervalMs * 3) : intervalMs * 3;
  const timeLimit = createTimeLimit(clock, { limitMs, who: "the store" });
  let renewing = false;
  let checkAgain = false;

  const renew = async (leases: readonly HeldLease[]): Promise<void> => {
    renewing = true;
    const result = await renewLeases(slots, leases, timeLimit).then(
      () => "renewed",
      // The store may be away: the exchange loop reports that, and leases that run out meanwhile are dropped here.
      (error: unknown) => (state.isConflict(error) ? "still waits" : "failed"),
    );
    renewing = false;
    if (!waitsForOthers || result === "failed") dropExpired(slots);
    // The reply came so late that leases may have changed since: ask the store again before dropping any.
    else if (result === "renewed" && hasExpired(slots)) checkAgain = true;
    if (checkAgain) check();
  };
  const check = (): void => {
    checkAgain = renewing;
    if (!renewing) void renew(heldLeases(slots, "all"));
  };
  const tick = (): void => {
    timer = clock.setTimer(tick, intervalMs);
    lag.check();
    handBackOld(slots);
    if (!renewing) void renew(heldLeases(slots, "older-than-a-third"));
    // A renewal that hangs must not hide that leases have run out.
    else if (!waitsForOthers) dropExpired(slots);
  };

  return {
    start() {
      timer ??= clock.setTimer(tick, intervalMs);
    },
    stop() {
      timer?.cancel();
      timer = undefined;
    },
    check,
  };
}

async function renewLeases(slots: Slots, held: readonly HeldLease[], timeLimit: TimeLimit): Promise<void> {
  if (held.length === 0) return;
  const { engine, workerId } = slots;
  const calledAt = engine.clock.now();
  const unrenewed = await timeLimit(() => engine.state.renew({ workerId, held }, engine.callOptions()));
  // A job whose row is locked keeps running: the lock may end soon, and otherwise its lease runs out.
  for (const { fence, reason } of unrenewed) if (reason !== "busy") drop(slots, fence, reason);
  noteRenewed(slots, without(held, unrenewed), calledAt);
  engine.events.record([{ type: "leases-renewed", workerId, count: held.length - unrenewed.length }], undefined);
}

function without(held: readonly HeldLease[], unrenewed: readonly UnrenewedLease[]): readonly HeldLease[] {
  if (unrenewed.length === 0) return held;
  const jobs = new Set(unrenewed.map(({ fence }) => fence.jobId));
  return held.filter(({ jobId }) => !jobs.has(jobId));
}
