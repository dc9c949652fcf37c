import { ChainwrightError } from "../model/error.ts";
import { lostError } from "../model/lost-error.ts";
import type { LostReason } from "../model/outcome.ts";
import type { ClaimedJob } from "../model/record.ts";
import { createDeadlines } from "../timing/deadlines.ts";
import { createAttempt, type Attempt, type AttemptResult } from "./attempt.ts";
import { createBatch } from "./batch-attempt.ts";
import { tellBreakers } from "./breakers.ts";
import { failureOutcome, releaseOutcome, spentOutcome } from "./failure-outcome.ts";
import { gather } from "./gather.ts";
import { createGathering } from "./gathering.ts";
import { handBackWaiting, processorOf, unbegun } from "./hand-back.ts";
import { createHandIn } from "./hand-in.ts";
import { handOver } from "./hand-over.ts";
import { holdsNothing, type Held, type Seat, type SlotOptions, type Slots } from "./held.ts";
import { isUnder } from "./hold-key.ts";
import { handIn } from "./outbox.ts";
import { recordEnd } from "./record-end.ts";
import { prefetchWindow } from "./prefetch-window.ts";
import { isSuspect } from "./suspect.ts";

export function createSlots(options: SlotOptions): Slots {
  const slots: Slots = {
    ...options,
    running: new Set(),
    taken: 0,
    buffer: [],
    gathering: createGathering(options.engine.clock, () => {
      fill(slots);
      // There is room for the jobs of another batch, or a suspect waits until it is alone.
      slots.outbox.wakeUp.wake();
    }),
    unsettled: new Set(),
    deadlines: createDeadlines(options.engine.clock, (held) => {
      for (const member of held.seat?.members ?? [held]) if (slots.running.has(member)) timeOut(slots, member);
    }),
    wasBatch: false,
    window: 0,
    isFilled: false,
    finished: 0,
    admittedAt: 0,
    starvedAfterMs: undefined,
  };
  return slots;
}

/** An exchange that has brought jobs. */
export interface Brought {
  readonly claimedAt: number;
  /** Whether it brought as many as it asked for. */
  readonly isFilled: boolean;
}

/** Takes in the jobs of an exchange, and starts as many as there are free slots. */
export function admit(slots: Slots, jobs: readonly ClaimedJob[], { claimedAt, isFilled }: Brought): void {
  slots.window = prefetchWindow(slots, isFilled, slots.prefetch);
  slots.isFilled = isFilled;
  slots.finished = 0;
  slots.admittedAt = slots.engine.clock.now();
  slots.starvedAfterMs = undefined;
  supersede(slots, jobs);
  const suspects: Held[] = [];
  for (const job of limitedFirst(jobs)) {
    const processor = processorOf(slots, job.typeName);
    const leaseMs = processor.leaseMs ?? slots.leaseMs;
    const held: Held = {
      job,
      processor,
      leaseMs,
      leasedUntil: claimedAt + leaseMs,
      isSuspect: isSuspect(job, processor.retry.maxAttempts),
      read: undefined,
      seat: undefined,
      attempt: undefined,
      ended: undefined,
      lost: undefined,
    };
    // One that fails without an attempt waits for no others.
    if (processor.batch !== undefined && !isSpent(held)) gather(slots, held, processor.batch);
    else if (held.isSuspect) suspects.push(held);
    else slots.buffer.push(held);
  }
  slots.buffer.push(...suspects);
  fill(slots);
}

/** A job under a limit holds a place, so it must not wait for a slot behind jobs that were claimed ahead. */
function limitedFirst(jobs: readonly ClaimedJob[]): readonly ClaimedJob[] {
  if (jobs.every(({ limits }) => limits === undefined)) return jobs;
  return jobs.toSorted((one, other) => Number(one.limits === undefined) - Number(other.limits === undefined));
}

/**
 * Begins a suspect once nothing else would be lost with the process: no attempt runs, and all outcomes are stored. Before that the
 * other jobs that wait are given back, and are not counted.
 */
export function beginAlone(slots: Slots): void {
  const { buffer, gathering, running, unsettled, outbox } = slots;
  const [batch] = gathering.ready;
  const isOne = buffer[0]?.isSuspect === true;
  const isBatch = buffer.length === 0 && batch?.isSuspect === true;
  if (!(isOne || isBatch) || running.size + unsettled.size + outbox.items.length > 0) return;
  for (const other of buffer.splice(1)) handIn(outbox, unbegun(slots, other));
  const kept = new Set(isOne ? [] : batch?.items);
  for (const other of gathering.remove((held) => !kept.has(held))) handIn(outbox, unbegun(slots, other));
  if (outbox.items.length > 0) return;
  if (isOne) beginOrHandBack(slots, buffer.shift());
  else beginBatch(slots, gathering.next() ?? []);
}

/** Aborts the signals of running handlers and gives their jobs back: the store refuses what they still write. */
export function handBackRunning(slots: Slots): void {
  const error = new ChainwrightError(
    "worker-stopping",
    "the worker is stopping and the time for its handlers is over; the job will run again.",
  );
  for (const held of slots.running) {
    held.attempt?.abort(error);
    if (held.ended !== undefined) freeSlot(slots, held, held.ended);
    else if (held.attempt !== undefined) end(slots, held, { outcome: releaseOutcome(held.attempt.fence), error });
  }
}

/** Stops an attempt whose job is no longer this worker's. Its outcome is not handed in. */
export function interrupt(slots: Slots, held: Held, reason: LostReason): void {
  const error = lostError(reason, held.job, reason === "lease-lost" ? slots.blockedMs(held.job.id) : undefined);
  held.lost = reason;
  held.attempt?.abort(error);
  end(slots, held, { outcome: undefined, error, lost: reason });
}

/**
 * Stops attempts whose job has just been claimed again: it was ended and retried, or its lease ran out. The store would refuse
 * their outcomes; stopped now, they free their slots at once.
 */
function supersede(slots: Slots, jobs: readonly ClaimedJob[]): void {
  if (jobs.length === 0 || holdsNothing(slots)) return;
  // None can be held that was never claimed before.
  const claimed = new Set(jobs.filter(({ fence }) => fence > 1).map(({ id }) => id));
  if (claimed.size === 0) return;
  slots.gathering.remove(({ job }) => claimed.has(job.id));
  for (let at = slots.buffer.length - 1; at >= 0; at -= 1)
    if (claimed.has(slots.buffer[at]?.job.id ?? "")) slots.buffer.splice(at, 1);
  for (const held of slots.running) if (claimed.has(held.job.id)) interrupt(slots, held, "lease-lost");
}

function fill(slots: Slots): void {
  const { buffer, gathering } = slots;
  while (slots.taken < slots.concurrency) {
    const [batch] = gathering.ready;
    const isBatchNext = batch?.isSuspect === false && (!slots.wasBatch || buffer.length === 0);
    if (isBatchNext) {
      slots.wasBatch = true;
      beginBatch(slots, gathering.next() ?? []);
      continue;
    }
    slots.wasBatch = false;
    if (buffer[0]?.isSuspect === true) return;
    const held = buffer.shift();
    if (held === undefined) {
      slots.starvedAfterMs ??= slots.engine.clock.now() - slots.admittedAt;
      return;
    }
    beginOrHandBack(slots, held);
  }
}

function beginOrHandBack(slots: Slots, held: Held | undefined): void {
  if (held === undefined) return;
  // If its lease ran out while it waited, another worker may have it. If none has, the attempt does not count.
  if (isSpent(held)) failSpent(slots, held);
  else if (held.leasedUntil > slots.engine.clock.now()) begin(slots, held);
  else handIn(slots.outbox, unbegun(slots, held));
}

/** Whether all attempts were used before this claim. */
function isSpent({ job, processor }: Held): boolean {
  return job.attempt > processor.retry.maxAttempts;
}

/** Fails a job without another attempt: what is reported names the last one that was made. */
function failSpent(slots: Slots, held: Held): void {
  const { engine, outbox, blockedMs } = slots;
  const job = { ...held.job, attempt: held.job.attempt - 1 };
  const attempt = createAttempt(engine, job, held.processor, slots);
  const outcome = spentOutcome(engine.clock, attempt, blockedMs(job.id));
  handIn(outbox, createHandIn(attempt, held, outcome));
}

function begin(slots: Slots, held: Held): void {
  const attempt = createAttempt(slots.engine, held.job, held.processor, slots);
  slots.taken += 1;
  run(slots, held, attempt);
  expectEnd(slots, held);
  void attempt.run().then((result) => finish(slots, held, result));
}

/** The jobs of a batch run in one slot. Those whose lease ran out while they waited are given back. */
function beginBatch(slots: Slots, group: readonly Held[]): void {
  const { engine, outbox, workerId } = slots;
  const now = engine.clock.now();
  const members = group.filter(({ leasedUntil }) => leasedUntil > now);
  for (const held of group) if (held.leasedUntil <= now) handIn(outbox, unbegun(slots, held));
  const [first] = members;
  if (first === undefined) return;
  const batch = createBatch(engine, members, workerId);
  const seat: Seat = { members, left: members.length };
  slots.taken += 1;
  for (const [index, held] of members.entries()) {
    const attempt = batch.attempts[index];
    if (attempt === undefined) continue;
    held.seat = seat;
    run(slots, held, attempt);
  }
  expectEnd(slots, first);
  void batch.run().then((results) => {
    for (const [index, held] of members.entries()) {
      const result = results[index];
      if (result !== undefined) finish(slots, held, result);
    }
  });
}

function run(slots: Slots, held: Held, attempt: Attempt): void {
  held.attempt = attempt;
  slots.running.add(held);
}

/** @param held in a batch the first of its jobs, which have one deadline */
function expectEnd({ deadlines }: Slots, held: Held): void {
  const { attempt, processor } = held;
  if (attempt !== undefined && processor.timeoutMs !== Infinity)
    deadlines.add(held, attempt.startedAt + processor.timeoutMs);
}

/** The handler has ended. */
function finish(slots: Slots, held: Held, result: AttemptResult): void {
  end(slots, held, result);
  const lost = held.lost ?? result.lost;
  if (lost === undefined || held.attempt === undefined) return;
  handOver(slots.outbox, { attempt: held.attempt, lease: held, lost });
}

/** Called when the attempt ends, or earlier when it timed out or lost its lease; the first call counts. */
function end(slots: Slots, held: Held, result: AttemptResult): void {
  const { attempt } = held;
  if (attempt === undefined || held.ended !== undefined || !slots.running.has(held)) return;
  const told = tellBreakers(slots.engine, attempt, result);
  if (told === undefined) return freeSlot(slots, held, result);
  held.ended = result;
  void told.then(() => freeSlot(slots, held, { ...result, closedKeys: held.job.limits }));
}

function freeSlot(slots: Slots, held: Held, result: AttemptResult): void {
  const { attempt } = held;
  // When a worker stops, it does not wait for breakers.
  if (attempt === undefined || !slots.running.delete(held)) return;
  const isFree = leaveSlot(slots, held);
  recordEnd(slots.engine, attempt, result);
  if (result.closedKeys !== undefined) handBackWaiting(slots, isUnder(result.closedKeys));
  if (result.outcome === undefined) slots.outbox.wakeUp.wake();
  else handIn(slots.outbox, createHandIn(attempt, held, result.outcome));
  if (isFree) fill(slots);
  const isOver = result.outcome === undefined && result.lost !== "lease-lost";
  if (isOver && held.job.limits !== undefined) slots.onEnded(held.job);
}

/** Returns whether the slot is free: that of a batch is when the last of its jobs has ended. */
function leaveSlot(slots: Slots, held: Held): boolean {
  const { seat } = held;
  if (seat !== undefined) {
    seat.left -= 1;
    if (seat.left > 0) return false;
  }
  slots.deadlines.remove(seat?.members[0] ?? held);
  slots.taken -= 1;
  slots.finished += 1;
  return true;
}

function timeOut(slots: Slots, held: Held): void {
  const { attempt, processor, job } = held;
  if (attempt === undefined) return;
  const error = new ChainwrightError(
    "timeout",
    `the handler of "${job.typeName}" has not ended within ${processor.timeoutMs} ms; set timeoutMs if it needs longer.`,
  );
  attempt.abort(error);
  const outcome = failureOutcome(slots.engine.clock, { ...attempt, stopReason: error }, error);
  end(slots, held, { outcome, error });
}
