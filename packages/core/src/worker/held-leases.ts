import type { Fence, LostReason } from "../model/outcome.ts";
import type { HeldLease } from "../ports/lease.ts";
import type { Lease } from "./hand-in.ts";
import { hasUsedAThird, type Held, type Slots } from "./held.ts";
import { interrupt } from "./slots.ts";

/** The leases to renew: all that the worker holds, or those that have used up a third of their time. */
export function heldLeases(slots: Slots, which: "all" | "older-than-a-third"): readonly HeldLease[] {
  const now = slots.engine.clock.now();
  const leases: HeldLease[] = [];
  for (const { job, leaseMs, leasedUntil } of allHeld(slots)) {
    // More time is left than the lease ever had: the clock was set back, so the age of the lease is unknown.
    if (which === "all" || hasUsedAThird({ leaseMs, leasedUntil }, now) || leasedUntil - now > leaseMs)
      leases.push({ jobId: job.id, fence: job.fence, leaseMs });
  }
  return leases;
}

/** Notes that leases were renewed by a call that began at a moment. */
export function noteRenewed(slots: Slots, renewed: readonly HeldLease[], calledAt: number): void {
  const ids = new Set(renewed.map((lease) => `${lease.jobId} ${lease.fence}`));
  for (const held of allHeld(slots)) {
    if (ids.has(`${held.job.id} ${held.job.fence}`)) held.leasedUntil = calledAt + held.leaseMs;
  }
}

/** Whether the lease of a running attempt has run out by this worker's own clock. */
export function hasExpired(slots: Slots): boolean {
  const now = slots.engine.clock.now();
  for (const { leasedUntil } of slots.running) if (leasedUntil <= now) return true;
  return false;
}

/** Drops a job that is no longer this worker's. */
export function drop(slots: Slots, lost: Fence, reason: LostReason): void {
  const isIt = (held: Held): boolean => held.job.id === lost.jobId && held.job.fence === lost.fence;
  const waiting = slots.buffer.findIndex(isIt);
  if (waiting >= 0) slots.buffer.splice(waiting, 1);
  slots.gathering.remove(isIt);
  for (const held of slots.running) {
    if (isIt(held) && held.attempt?.isCompleting() !== true) interrupt(slots, held, reason);
  }
}

/**
 * Drops all jobs whose lease has run out by this worker's own clock, because it could not be renewed in time. An attempt that is
 * settling itself continues: the store then decides whether the job is still its own.
 */
export function dropExpired(slots: Slots): void {
  const now = slots.engine.clock.now();
  for (const held of slots.running) {
    if (held.leasedUntil <= now && held.attempt?.isCompleting() !== true) interrupt(slots, held, "lease-lost");
  }
}

/** Whether the worker holds any of these jobs. Walks over its jobs once, however many ids are given. */
export function holdsAny(slots: Slots, jobIds: readonly string[]): boolean {
  if (jobIds.length === 0) return false;
  const asked = new Set(jobIds);
  for (const { job } of allHeld(slots)) if (asked.has(job.id)) return true;
  return false;
}

/** The ids of all jobs that the worker holds, those included whose outcomes are on their way to the store. */
export function* heldJobs(slots: Slots): Iterable<string> {
  for (const { job } of allHeld(slots)) yield job.id;
  for (const { attempt } of slots.outbox.items) yield attempt.job.id;
}

function* allHeld(slots: Slots): Iterable<Lease> {
  yield* slots.buffer;
  yield* slots.gathering.items();
  yield* slots.running;
  yield* slots.unsettled;
}
