import { ChainwrightError } from "../model/error.ts";
import { lostError } from "../model/lost-error.ts";
import type { LostReason } from "../model/outcome.ts";
import type { ClaimedJob } from "../model/record.ts";
import type { Engine } from "../engine/engine.ts";
import { createDeadlines, type Deadlines } from "../timing/deadlines.ts";
import { createAttempt, type Attempt, type AttemptResult } from "./attempt.ts";
import { tellBreakers } from "./breakers.ts";
import { failureOutcome, releaseOutcome, spentOutcome } from "./failure-outcome.ts";
import { createHandIn, type HandIn, type Lease } from "./hand-in.ts";
import { handOver } from "./hand-over.ts";
import { isUnder } from "./hold-key.ts";
import { handIn, type Outbox } from "./outbox.ts";
import { recordEnd } from "./record-end.ts";
import { prefetchWindow } from "./prefetch-window.ts";
import type { Processor } from "./processor.ts";
import { isSuspect } from "./suspect.ts";

/** A claimed job that waits for a slot, or runs in one. */
export interface Held extends Lease {
  readonly processor: Processor;
  /** It may be the one that kills its processes, and runs alone. */
  readonly isSuspect: boolean;
  /** Undefined while it waits for a slot. */
  attempt: Attempt | undefined;
  /** Set while the breakers of its limits are told how its attempt ended. */
  ended: AttemptResult | undefined;
  /** Set once its job was lost while its handler runs. */
  lost: LostReason | undefined;
}

interface SlotOptions {
  readonly engine: Engine;
  readonly workerId: string;
  readonly concurrency: number;
  /** The most jobs claimed ahead of the slots. */
  readonly prefetch: number;
  readonly processors: ReadonlyMap<string, Processor>;
  /** For processors that set no lease of their own. */
  readonly leaseMs: number;
  /** How long the event loop was blocked while a job was held; undefined: it was not. */
  readonly blockedMs: (jobId: string) => number | undefined;
  /** Called when an attempt has ended a job under limits by itself, in a transaction, or when the job was ended from outside. */
  readonly onEnded: (job: ClaimedJob) => void;
  /** Receives the outcomes of attempts, and is woken when a slot becomes free. */
  readonly outbox: Outbox;
}

/** The slots of a worker, in which handlers run, and the jobs claimed ahead for them. */
export interface Slots extends SlotOptions {
  readonly running: Set<Held>;
  /** Suspects are last. */
  readonly buffer: Held[];
  /** Leases of attempts that have ended, and whose outcomes the store cannot take yet. */
  readonly unsettled: Set<Lease>;
  readonly deadlines: Deadlines<Held>;
  /** How many jobs to claim ahead of the slots now. */
  window: number;
  /** Attempts that ended since the last exchange. */
  finished: number;
  /** Whether a slot was empty since the last exchange because nothing was claimed ahead. */
  starved: boolean;
}

/** With so many unsettled outcomes, and so many for each slot, a worker claims no more jobs. */
const [fewestUnsettled, unsettledPerSlot] = [100, 10];

export function createSlots(options: SlotOptions): Slots {
  const slots: Slots = {
    ...options,
    running: new Set(),
    buffer: [],
    unsettled: new Set(),
    deadlines: createDeadlines(options.engine.clock, (held) => timeOut(slots, held)),
    window: 0,
    finished: 0,
    starved: false,
  };
  return slots;
}

/** How many jobs to claim now: for the free slots, and the window ahead of them. */
export function wantedJobs(slots: Slots): number {
  const { concurrency, running, buffer, unsettled, window } = slots;
  // A suspect waits until it is alone, or runs alone.
  if (buffer.at(-1)?.isSuspect === true || first(running)?.isSuspect === true) return 0;
  if (unsettled.size >= Math.max(fewestUnsettled, concurrency * unsettledPerSlot)) return 0;
  return concurrency - running.size + window - buffer.length;
}

/** The slots that are free for jobs that begin at once. */
export function freeSlots({ concurrency, running, buffer }: Slots): number {
  return Math.max(0, concurrency - running.size - buffer.length);
}

/** Claimed jobs that run or wait for a slot. */
export function countHeld({ running, buffer }: Slots): number {
  return running.size + buffer.length;
}

export function holdsNothing(slots: Slots): boolean {
  return countHeld(slots) === 0;
}

/** Takes in the jobs of an exchange, and starts as many as there are free slots. */
export function admit(slots: Slots, jobs: readonly ClaimedJob[], claimedAt: number): void {
  slots.window = prefetchWindow(slots, slots.prefetch);
  slots.finished = 0;
  slots.starved = false;
  supersede(slots, jobs);
  const suspects: Held[] = [];
  for (const job of limitedFirst(jobs)) {
    const processor = processorOf(slots, job.typeName);
    const leaseMs = processor.leaseMs ?? slots.leaseMs;
    const held = {
      job,
      processor,
      leaseMs,
      leasedUntil: claimedAt + leaseMs,
      attempt: undefined,
      ended: undefined,
      lost: undefined,
    };
    if (isSuspect(job, processor.retry.maxAttempts)) suspects.push({ ...held, isSuspect: true });
    else slots.buffer.push({ ...held, isSuspect: false });
  }
  slots.buffer.push(...suspects);
  fill(slots);
}

/** A job under a limit holds a place, so it must not wait for a slot behind jobs that were claimed ahead. */
function limitedFirst(jobs: readonly ClaimedJob[]): readonly ClaimedJob[] {
  if (jobs.every(({ limits }) => limits === undefined)) return jobs;
  return jobs.toSorted((one, other) => Number(one.limits === undefined) - Number(other.limits === undefined));
}

/** Gives back jobs that were claimed too late to begin. */
export function handBack(slots: Slots, jobs: readonly ClaimedJob[]): void {
  for (const job of jobs) {
    const processor = processorOf(slots, job.typeName);
    const leaseMs = processor.leaseMs ?? slots.leaseMs;
    handIn(slots.outbox, unbegun(slots, { job, processor, leaseMs, leasedUntil: slots.engine.clock.now() }));
  }
}

/**
 * Begins a suspect once nothing else would be lost with the process: no attempt runs, and all outcomes are stored. Before that the
 * other jobs that wait are given back, and are not counted.
 */
export function beginAlone(slots: Slots): void {
  const { buffer, running, unsettled, outbox } = slots;
  if (buffer[0]?.isSuspect !== true || running.size + unsettled.size + outbox.items.length > 0) return;
  for (const other of buffer.splice(1)) handIn(outbox, unbegun(slots, other));
  if (outbox.items.length === 0) beginOrHandBack(slots, buffer.shift());
}

function first<Item>(items: Iterable<Item>): Item | undefined {
  for (const item of items) return item;
  return undefined;
}

/** Gives back the jobs that wait for a slot, or some of them. */
export function handBackWaiting(slots: Slots, which: (job: ClaimedJob) => boolean = () => true): void {
  for (const held of slots.buffer.splice(0)) {
    if (which(held.job)) handIn(slots.outbox, unbegun(slots, held));
    else slots.buffer.push(held);
  }
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

function processorOf({ processors }: Slots, typeName: string): Processor {
  const processor = processors.get(typeName);
  if (processor !== undefined) return processor;
  throw new TypeError(`the state adapter must return jobs of the claimed types only; got one of "${typeName}".`);
}

/**
 * Stops attempts whose job has just been claimed again: it was ended and retried, or its lease ran out. The store would refuse
 * their outcomes; stopped now, they free their slots at once.
 */
function supersede(slots: Slots, jobs: readonly ClaimedJob[]): void {
  if (jobs.length === 0 || holdsNothing(slots)) return;
  const claimed = new Set(jobs.map(({ id }) => id));
  for (let at = slots.buffer.length - 1; at >= 0; at -= 1)
    if (claimed.has(slots.buffer[at]?.job.id ?? "")) slots.buffer.splice(at, 1);
  for (const held of slots.running) if (claimed.has(held.job.id)) interrupt(slots, held, "lease-lost");
}

function fill(slots: Slots): void {
  while (slots.running.size < slots.concurrency) {
    if (slots.buffer[0]?.isSuspect === true) return;
    const held = slots.buffer.shift();
    if (held === undefined) {
      slots.starved = true;
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
  const { engine, workerId, outbox, blockedMs } = slots;
  const job = { ...held.job, attempt: held.job.attempt - 1 };
  const attempt = createAttempt(engine, job, held.processor, workerId);
  const outcome = spentOutcome(engine.clock, attempt, blockedMs(job.id));
  handIn(outbox, createHandIn(engine.clock, { attempt, lease: held }, outcome));
}

function begin(slots: Slots, held: Held): void {
  const attempt = createAttempt(slots.engine, held.job, held.processor, slots.workerId);
  held.attempt = attempt;
  slots.running.add(held);
  if (held.processor.timeoutMs !== Infinity) slots.deadlines.add(held, attempt.startedAt + held.processor.timeoutMs);
  void attempt.run().then((result) => {
    end(slots, held, result);
    const lost = held.lost ?? result.lost;
    if (lost !== undefined)
      handOver({ clock: slots.engine.clock, outbox: slots.outbox }, { attempt, lease: held, lost });
  });
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
  slots.deadlines.remove(held);
  slots.finished += 1;
  recordEnd(slots.engine, attempt, result);
  if (result.closedKeys !== undefined) handBackWaiting(slots, isUnder(result.closedKeys));
  if (result.outcome === undefined) slots.outbox.wakeUp.wake();
  else handIn(slots.outbox, createHandIn(slots.engine.clock, { attempt, lease: held }, result.outcome));
  fill(slots);
  const isOver = result.outcome === undefined && result.lost !== "lease-lost";
  if (isOver && held.job.limits !== undefined) slots.onEnded(held.job);
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

/** Gives a claimed job back whose handler was not called. */
function unbegun(slots: Slots, lease: Omit<Held, "attempt" | "isSuspect" | "ended" | "lost">): HandIn {
  const attempt = createAttempt(slots.engine, lease.job, lease.processor, slots.workerId);
  return createHandIn(slots.engine.clock, { attempt, lease }, releaseOutcome(attempt.fence));
}
