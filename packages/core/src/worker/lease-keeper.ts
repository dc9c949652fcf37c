import { createTimeLimit, type TimeLimit } from "../timing/time-limit.ts";
import type { Timer } from "../ports/clock.ts";
import type { HeldLease, UnrenewedLease } from "../ports/state.ts";
import { drop, dropExpired, hasExpired, heldLeases, noteRenewed } from "./held-leases.ts";
import type { Slots } from "./slots.ts";

/** Renews what a worker holds: one statement an interval, none while everything it holds is young. */
export interface LeaseKeeper {
  start(): void;
  stop(): void;
  /** Asks the store at once: somebody says that a held job was cancelled or ended from outside. */
  check(): void;
}

/** Longer than a store with one writer lets a transaction be open, unless it is told otherwise. */
const longestWaitMs = 120_000;

export function createLeaseKeeper(slots: Slots, intervalMs: number): LeaseKeeper {
  const { clock, state } = slots.engine;
  let timer: Timer | undefined;
  // Where everyone waits for an open transaction, a renewal waits with them, and no one can claim what it is about.
  const waitsForOthers = state.insideTransaction !== undefined;
  // Elsewhere a renewal that takes longer than a lease is of no use to anyone.
  const limitMs = waitsForOthers ? Math.max(longestWaitMs, intervalMs * 3) : intervalMs * 3;
  const timeLimit = createTimeLimit(clock, { limitMs, who: "the store" });
  let renewing = false;
  let checkAgain = false;

  const renew = async (leases: readonly HeldLease[]): Promise<void> => {
    renewing = true;
    const result = await renewLeases(slots, leases, timeLimit).then(
      () => "renewed",
      // The store may be away: the exchange loop reports that, and what runs out meanwhile is dropped here.
      (error: unknown) => (state.isConflict(error) ? "still waits" : "failed"),
    );
    renewing = false;
    if (!waitsForOthers || result === "failed") dropExpired(slots);
    // It has waited so long that its reply says nothing about now: the store is asked again before anything is dropped.
    else if (result === "renewed" && hasExpired(slots)) checkAgain = true;
    if (checkAgain) check();
  };
  const check = (): void => {
    checkAgain = renewing;
    if (!renewing) void renew(heldLeases(slots, "all"));
  };
  const tick = (): void => {
    timer = clock.setTimer(tick, intervalMs);
    if (!renewing) void renew(heldLeases(slots, "older-than-a-third"));
    // A call that hangs must not keep a lost lease from being noticed.
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
  // What a transaction holds just now runs on as it did: it may end soon, or the lease before it.
  for (const { fence, reason } of unrenewed) if (reason !== "busy") drop(slots, fence, reason);
  noteRenewed(slots, without(held, unrenewed), calledAt);
  engine.events.record([{ type: "leases-renewed", workerId, count: held.length - unrenewed.length }], undefined);
}

function without(held: readonly HeldLease[], unrenewed: readonly UnrenewedLease[]): readonly HeldLease[] {
  if (unrenewed.length === 0) return held;
  const jobs = new Set(unrenewed.map(({ fence }) => fence.jobId));
  return held.filter(({ jobId }) => !jobs.has(jobId));
}
