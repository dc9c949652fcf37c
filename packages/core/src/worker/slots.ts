import { ChainwrightError } from "../model/error.ts";
import type { Fence, LostReason } from "../model/outcome.ts";
import type { ClaimedJob } from "../model/record.ts";
import { eventError } from "../checks/describe-error.ts";
import type { Engine } from "../engine/engine.ts";
import type { HeldLease } from "../ports/state.ts";
import { createAttempt, type Attempt, type AttemptResult } from "./attempt.ts";
import { createDeadlines, type Deadlines } from "../timing/deadlines.ts";
import { failureOutcome, releaseOutcome } from "./failure-outcome.ts";
import { lostError } from "../model/lost-error.ts";
import { createHandIn, type HandIn, type Lease } from "./hand-in.ts";
import type { Processor } from "./processor.ts";

/** A claimed job that waits for a slot, or runs in one. */
interface Held extends Lease {
  readonly processor: Processor;
  /** Undefined while it waits for a slot. */
  attempt: Attempt | undefined;
}

/** The slots of a worker, in which handlers run, and the jobs claimed ahead for them. */
export interface Slots {
  readonly engine: Engine;
  readonly workerId: string;
  readonly concurrency: number;
  readonly running: Set<Held>;
  readonly buffer: Held[];
  /** Of attempts that have ended, and whose outcomes the store cannot take yet. */
  readonly heldUp: Set<Lease>;
  readonly deadlines: Deadlines<Held>;
  /** Attempts that ended since it was last set to 0. */
  finished: number;
  /** Whether a slot stood empty because nothing was claimed ahead. */
  starved: boolean;
  /** Called when an attempt ends: with what to hand in, or nothing. */
  readonly onEnded: (handIn: HandIn | undefined) => void;
}

export function createSlots(options: Pick<Slots, "engine" | "workerId" | "concurrency" | "onEnded">): Slots {
  const slots: Slots = {
    ...options,
    running: new Set(),
    buffer: [],
    heldUp: new Set(),
    deadlines: createDeadlines(options.engine.clock, (held) => timeOut(slots, held)),
    finished: 0,
    starved: false,
  };
  return slots;
}

/** Takes claimed jobs in, and starts as many as there are slots. */
export function admit(
  slots: Slots,
  jobs: readonly ClaimedJob[],
  claimedAt: number,
  find: (typeName: string) => { processor: Processor; leaseMs: number },
): void {
  supersede(slots, jobs);
  for (const job of jobs) {
    const { processor, leaseMs } = find(job.typeName);
    slots.buffer.push({ job, processor, leaseMs, leasedUntil: claimedAt + leaseMs, attempt: undefined });
  }
  fill(slots);
}

/**
 * Lets go of attempts whose job has just been claimed again: it was ended and retried, or its lease ran out. The store would
 * refuse them; told at once, they free their slots and stop what they do.
 */
function supersede(slots: Slots, jobs: readonly ClaimedJob[]): void {
  if (jobs.length === 0 || slots.running.size + slots.buffer.length === 0) return;
  const claimed = new Set(jobs.map(({ id }) => id));
  for (let at = slots.buffer.length - 1; at >= 0; at -= 1)
    if (claimed.has(slots.buffer[at]?.job.id ?? "")) slots.buffer.splice(at, 1);
  for (const held of slots.running) if (claimed.has(held.job.id)) interrupt(slots, held, "lease-lost");
}

function fill(slots: Slots): void {
  while (slots.running.size < slots.concurrency) {
    const held = slots.buffer.shift();
    if (held === undefined) {
      slots.starved = true;
      return;
    }
    // It waited longer than its lease holds: somebody else may have it by now. If not, the attempt does not count.
    if (held.leasedUntil > slots.engine.clock.now()) begin(slots, held);
    else slots.onEnded(unbegun(slots, held));
  }
}

function begin(slots: Slots, held: Held): void {
  const attempt = createAttempt(slots.engine, held.job, held.processor, slots.workerId);
  held.attempt = attempt;
  slots.running.add(held);
  if (held.processor.timeoutMs !== Infinity) slots.deadlines.add(held, attempt.startedAt + held.processor.timeoutMs);
  void attempt.run().then((result) => end(slots, held, result));
}

/** Frees the slot. Called by the attempt itself, or before it ends when it timed out or lost its lease; the first call counts. */
function end(slots: Slots, held: Held, result: AttemptResult): void {
  const { attempt } = held;
  if (attempt === undefined || !slots.running.delete(held)) return;
  slots.deadlines.remove(held);
  slots.finished += 1;
  recordEnd(slots, attempt, result);
  slots.onEnded(
    result.outcome === undefined ? undefined : createHandIn(slots.engine, { attempt, lease: held }, result.outcome),
  );
  fill(slots);
}

function recordEnd(slots: Slots, { job, fence, startedAt }: Attempt, { error, lost }: AttemptResult): void {
  const { events, clock, observed } = slots.engine;
  if (!observed) return;
  const named = {
    jobId: job.id,
    chainId: job.chainId,
    typeName: job.typeName,
    workerId: fence.workerId,
    attempt: job.attempt,
  };
  const failure = error === undefined ? undefined : eventError(error);
  events.record([{ type: "attempt-ended", ...named, durationMs: clock.now() - startedAt, error: failure }], undefined);
  if (lost !== undefined) events.record([{ type: "lease-lost", ...named, reason: lost }], undefined);
}

function timeOut(slots: Slots, held: Held): void {
  const { attempt, processor, job } = held;
  if (attempt === undefined) return;
  const error = new ChainwrightError(
    "timeout",
    `the handler of "${job.typeName}" has not ended within ${processor.timeoutMs} ms; set timeoutMs if it needs longer.`,
  );
  attempt.abort(error);
  end(slots, held, {
    outcome: failureOutcome(slots.engine, { job, fence: attempt.fence, processor, stopReason: error }, error),
    error,
  });
}

/** The leases to renew: all that are held, or the ones that have used up a third of their time. */
export function heldLeases(slots: Slots, which: "all" | "older-than-a-third"): readonly HeldLease[] {
  const now = slots.engine.clock.now();
  const leases: HeldLease[] = [];
  for (const { job, leaseMs, leasedUntil } of allHeld(slots)) {
    const leftMs = leasedUntil - now;
    // More left than there ever was: the clock has been set back, and says nothing about the lease.
    if (which === "all" || leftMs <= (leaseMs * 2) / 3 || leftMs > leaseMs)
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

/** Lets go of a job that is not this worker's any more. */
export function drop(slots: Slots, lost: Fence, reason: LostReason): void {
  const isIt = (held: Held): boolean => held.job.id === lost.jobId && held.job.fence === lost.fence;
  const waiting = slots.buffer.findIndex(isIt);
  if (waiting >= 0) slots.buffer.splice(waiting, 1);
  for (const held of slots.running) {
    if (isIt(held) && held.attempt?.isCompleting() !== true) interrupt(slots, held, reason);
  }
}

/**
 * Lets go of all whose lease has run out by this worker's own clock: it could not be renewed in time. Not of one that settles
 * itself: whether the job is still its own, the store says then.
 */
export function dropExpired(slots: Slots): void {
  const now = slots.engine.clock.now();
  for (const held of slots.running) {
    if (held.leasedUntil <= now && held.attempt?.isCompleting() !== true) interrupt(slots, held, "lease-lost");
  }
}

function interrupt(slots: Slots, held: Held, reason: LostReason): void {
  const error = lostError(reason, held.job);
  held.attempt?.abort(error);
  end(slots, held, { outcome: undefined, error, lost: reason });
}

/** Gives back what has not begun. */
export function releaseBuffer(slots: Slots): readonly HandIn[] {
  return slots.buffer.splice(0).map((held) => unbegun(slots, held));
}

/** Gives a claimed job back that no handler has seen. */
export function unbegun(slots: Slots, lease: Omit<Held, "attempt">): HandIn {
  const attempt = createAttempt(slots.engine, lease.job, lease.processor, slots.workerId);
  return createHandIn(slots.engine, { attempt, lease }, releaseOutcome(attempt.fence));
}

/** Tells running handlers to stop and gives their jobs back: what they still write will be refused. */
export function releaseRunning(slots: Slots): void {
  const error = new ChainwrightError(
    "worker-stopping",
    "the worker stops and its time to wait is over; the job will be run again.",
  );
  for (const held of slots.running) {
    held.attempt?.abort(error);
    if (held.attempt !== undefined) end(slots, held, { outcome: releaseOutcome(held.attempt.fence), error });
  }
}

/** Whether any of these jobs is held. What is held is walked once, however many are asked about. */
export function holdsAny(slots: Slots, jobIds: readonly string[]): boolean {
  if (jobIds.length === 0) return false;
  const asked = new Set(jobIds);
  for (const { job } of allHeld(slots)) if (asked.has(job.id)) return true;
  return false;
}

function* allHeld(slots: Slots): Iterable<Lease> {
  yield* slots.buffer;
  yield* slots.running;
  yield* slots.heldUp;
}
