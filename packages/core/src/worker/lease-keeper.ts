import { createPatience, type Patience } from "../engine/patience.ts";
import type { Timer } from "../ports/clock.ts";
import type { HeldLease } from "../ports/state.ts";
import { drop, dropExpired, heldLeases, noteRenewed, type Slots } from "./slots.ts";

/** Renews what a worker holds: one statement an interval, none while everything it holds is young. */
export interface LeaseKeeper {
  start(): void;
  stop(): void;
  /** Asks the store at once: somebody says that a held job was cancelled or ended from outside. */
  check(): void;
}

export function createLeaseKeeper(slots: Slots, intervalMs: number): LeaseKeeper {
  const { clock } = slots.engine;
  let timer: Timer | undefined;
  // A renewal that takes longer than a lease is of no use to anybody.
  const patience = createPatience(clock, { limitMs: intervalMs * 3, who: "the store" });
  let renewing = false;
  let checkAgain = false;

  const renew = async (leases: readonly HeldLease[]): Promise<void> => {
    renewing = true;
    // The store may be away: the exchange loop tells of that, and what runs out meanwhile is dropped here.
    await renewLeases(slots, leases, patience).catch(() => undefined);
    renewing = false;
    dropExpired(slots);
    if (checkAgain) check();
  };
  const check = (): void => {
    checkAgain = renewing;
    if (!renewing) void renew(heldLeases(slots, "all"));
  };
  const tick = (): void => {
    timer = clock.setTimer(tick, intervalMs);
    // A call that hangs must not keep a lost lease from being noticed.
    if (renewing) dropExpired(slots);
    else void renew(heldLeases(slots, "older-than-a-third"));
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

async function renewLeases(slots: Slots, held: readonly HeldLease[], patience: Patience): Promise<void> {
  if (held.length === 0) return;
  const { engine, workerId } = slots;
  const calledAt = engine.clock.now();
  const lost = await patience(() => engine.state.renew({ workerId, held }, engine.callOptions()));
  for (const { fence, reason } of lost) drop(slots, fence, reason);
  noteRenewed(slots, held, calledAt);
  engine.events.record([{ type: "leases-renewed", workerId, count: held.length - lost.length }], undefined);
}
