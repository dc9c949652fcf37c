import type { Noting } from "./notes/noting-attempt.ts";
import type { LostReason } from "../model/outcome.ts";
import type { ClaimedJob } from "../model/record.ts";
import type { Engine } from "../engine/engine.ts";
import type { Deadlines } from "../timing/deadlines.ts";
import type { Attempt, AttemptResult } from "./attempt.ts";
import type { Gathering } from "./gathering.ts";
import type { Lease } from "./hand-in.ts";
import type { Outbox } from "./outbox.ts";
import { prefetchWindow } from "./prefetch-window.ts";
import type { Processor } from "./processor.ts";
import type { ReadJob } from "./read-job.ts";

/** A claimed job that waits for a slot, or runs in one. */
export interface Held extends Lease {
  readonly processor: Processor;
  /** It may be the one that kills its processes, and runs alone. */
  readonly isSuspect: boolean;
  /** What its handler sees, for a job that gathers with others. */
  read: ReadJob | undefined;
  /** Shared with the other jobs of its batch while they run. */
  seat: Seat | undefined;
  /** Undefined while it waits for a slot. */
  attempt: Attempt | undefined;
  /** Set while the breakers of its limits are told how its attempt ended. */
  ended: AttemptResult | undefined;
  /** Set once its job was lost while its handler runs. */
  lost: LostReason | undefined;
}

/** The slot that the jobs of a batch share. */
export interface Seat {
  readonly members: readonly Held[];
  /** How many of them have not ended. */
  left: number;
}

export interface SlotOptions {
  readonly engine: Engine;
  readonly workerId: string;
  readonly noting: Noting;
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
  /** The slots that are in use: a batch of jobs takes one. */
  taken: number;
  /** Jobs that wait for others of their batch. */
  readonly gathering: Gathering<Held>;
  /** Whether the last slot went to a batch: batches and other jobs take turns. */
  wasBatch: boolean;
  /** Suspects are last. */
  readonly buffer: Held[];
  /** Leases of attempts that have ended, and whose outcomes the store cannot take yet. */
  readonly unsettled: Set<Lease>;
  /** Of calls of handlers. The first job of a batch is there for all of them. */
  readonly deadlines: Deadlines<Held>;
  /** How many jobs to claim ahead of the slots, by what they did until the last exchange. */
  window: number;
  /** Whether the last claim brought as many jobs as it asked for. */
  isFilled: boolean;
  /** Attempts that ended since the last exchange. */
  finished: number;
  /** When the last exchange brought jobs or none. */
  admittedAt: number;
  /** How long after that a slot was empty because nothing was claimed ahead. */
  starvedAfterMs: number | undefined;
}

/** With so many unsettled outcomes, and so many for each slot, a worker claims no more jobs. */
const [fewestUnsettled, unsettledPerSlot] = [100, 10];

/** How many jobs to claim now: for the free slots, and the window ahead of them. */
export function wantedJobs(slots: Slots): number {
  const { concurrency, taken, buffer, window, isFilled, prefetch } = slots;
  // While jobs wait in the store, the first quick jobs count at once, not only after another exchange.
  const ahead = isFilled ? Math.max(window, prefetchWindow(slots, isFilled, prefetch)) : window;
  return mayClaim(slots) ? concurrency - taken + ahead - buffer.length : 0;
}

/** How many jobs of a type to claim now that are handled in batches of this size: for the free slots, and for one at least. */
export function wantedOfBatches(slots: Slots, typeName: string, maxSize: number): number {
  const { concurrency, taken, gathering } = slots;
  if (!mayClaim(slots)) return 0;
  return Math.max(0, maxSize * Math.max(1, concurrency - taken) - gathering.count(typeName));
}

function mayClaim({ concurrency, running, buffer, gathering, unsettled }: Slots): boolean {
  // A suspect waits until it is alone, or runs alone.
  const isLast = buffer.at(-1)?.isSuspect === true || gathering.ready.at(-1)?.isSuspect === true;
  if (isLast || first(running)?.isSuspect === true) return false;
  return unsettled.size < Math.max(fewestUnsettled, concurrency * unsettledPerSlot);
}

/** The slots that are free for jobs that begin at once. */
export function freeSlots({ concurrency, taken, buffer }: Slots): number {
  return Math.max(0, concurrency - taken - buffer.length);
}

/** Claimed jobs that run or wait for a slot. */
export function countHeld({ running, buffer, gathering }: Slots): number {
  return running.size + buffer.length + gathering.size;
}

export function holdsNothing(slots: Slots): boolean {
  return countHeld(slots) === 0;
}

function first<Item>(items: Iterable<Item>): Item | undefined {
  for (const item of items) return item;
  return undefined;
}

/** Whether a lease has used up a third of its time. */
export function hasUsedAThird({ leaseMs, leasedUntil }: Pick<Lease, "leaseMs" | "leasedUntil">, now: number): boolean {
  return leasedUntil - now <= (leaseMs * 2) / 3;
}
