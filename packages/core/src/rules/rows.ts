import type { JobStart } from "../model/job-start.ts";
import type { JobLimit } from "../model/limit.ts";
import type { Fence } from "../model/outcome.ts";
import type { KeyScope } from "../model/held-key.ts";
import type { WaitRecord } from "../model/signal.ts";
import type { ChainStatus, JobStatus, OnBlockerFailure } from "../model/status.ts";
import type { EndRows } from "./end-rows.ts";
import type { NoteRows } from "./note-rows.ts";
import type { SignalRows } from "./signal-rows.ts";

/**
 * What the rules of chains need of a store: small synchronous reads and writes that decide nothing. A store that has one
 * writer at a time implements these, and gets from the rules what a start, an end or a retry means.
 *
 * `Job` and `Chain` are the store's own handles. A handle shows what was true when it was read: the rules pass on what they
 * have changed since, instead of asking again.
 *
 * @example
 * const complete = (rows: Rows<Handle, Handle>, outcomes: readonly Outcome[]) => rules.settle(rows, outcomes, Date.now());
 */
export interface Rows<Job extends Handle, Chain extends Handle> extends SignalRows<Job, Chain> {
  /** What happens when chains stop. */
  readonly ends: EndRows<Job, Chain>;
  /** What attempts note about their jobs. */
  readonly notes: NoteRows<Job>;

  /** Undoes all that `run` has written if it throws or returns a refusal. */
  allOrNothing<Result extends { readonly ok: boolean }>(run: () => Result): Result;

  // Reads.
  chain(id: string): Chain | undefined;
  job(id: string): Job | undefined;
  /** The job whose current lease a fence names; the lease may have run out, as long as no one has claimed the job since. */
  leasedJob(fence: Fence): Job | undefined;
  /** The newest job of a chain: the one that is open, or that ended the chain. */
  lastJob(chain: Chain): Job;
  /** A chain and its newest job: at once, because most chains have one job only. */
  chainAndLastJob(id: string): { readonly chain: Chain; readonly job: Job } | undefined;
  chainOf(job: Job): Chain;
  /** Of a chain: the type of its first job. */
  typeNameOf(row: Job | Chain): string;
  /** The name under which a worker claims the job, see `claimName`. */
  claimNameOf(job: Job): string;
  chainStatusOf(chain: Chain): ChainStatus;
  jobStatusOf(job: Job, now: number): JobStatus;
  /** The worker whose lease of the job is in force. */
  workerOf(job: Job, now: number): string | undefined;

  /** The deduplication key that a chain was started with, whether or not the chain holds it. */
  keyOf(chain: Chain): Key | undefined;
  /** The chain that holds a key, by the text of `heldKey`, unless the key's window has passed. */
  keyHolder(key: string, now: number): KeyHolder<Chain> | undefined;
  /** When a chain is due that waits for its first claim. Undefined: its first job has been claimed once, or has ended. */
  firstDueAt(chain: Chain): number | undefined;

  blockersOf(job: Job): Blockers<Chain>;
  /** The chains with a job that this chain blocks and that is not completed, in the order of their ids. */
  chainsBlockedBy(chain: Chain): readonly Chain[];
  /** The jobs that failed because of a chain, in the order of their ids. */
  failedBecauseOf(chain: Chain): readonly FailedJob<Job>[];
  /** Whether any job has ever been blocked by the chain. */
  isReferenced(chain: Chain): boolean;
  /** Whether a process has noted that it awaits the end of the chain. */
  isAwaited(chain: Chain): boolean;
  hasReleases(): boolean;

  // Writes.

  /** Writes a job; undefined, and nothing is written, if its id is taken. A job written as failed ends its chain. */
  insert(start: JobStart, place: Place<Job, Chain>, now: number): Job | undefined;
  /** Ends a job and its chain. */
  end(job: Job, chain: Chain, end: End<Chain>): void;
  /** Completes a job that `next` continues. */
  complete(job: Job, next: Job, ending: { readonly by: EndedBy; readonly now: number }): void;
  /** Ends the lease of a job, which waits again. */
  putBack(job: Job, wait: Wait): void;
  /** Makes a scheduled or a waiting job ready, due now. Publications reach it no more. */
  makeReady(job: Job, now: number): void;

  /** Looks at up to `limit` jobs that an ended chain has to release. Stores what is left of them as a release. */
  waitingFor(chain: Chain, status: EndedStatus, limit: number): Waiting<Job, Chain>;
  /** The same for the stored release that was looked at least recently. Undefined: there is none. */
  takeRelease(limit: number): Waiting<Job, Chain> | undefined;
  /** Sets the number of blockers that a blocked job still waits for. */
  countDown(job: Job, blockersLeft: number): void;
  /** Makes a blocked job ready, or scheduled if it is due later than `now`. */
  unblock(job: Job, dueAt: number, now: number): void;

  /**
   * Makes an ended job open again: blocked by `blockersLeft` chains, otherwise ready. Blockers that have completed do not count
   * any more, also if their release has not reached the job.
   */
  reopenJob(job: Job, reopening: Reopening): void;
  /** Makes a chain active again. What it has not released yet, it does not release. */
  reopenChain(chain: Chain, now: number): void;
  /** Names another chain as the reason why a job failed. */
  blame(job: Job, failure: Failure<Chain>): void;

  /**
   * Replaces what the first job of a chain runs with by that of a later start: the input with its version, the pool, the priority,
   * the context and the limits. The job has not been claimed yet.
   */
  replace(chain: Chain, start: JobStart, replacement: Replacement): void;

  /** Gives a chain its own key, also if another chain held it. */
  takeKey(chain: Chain): void;
  /** Frees the key of a chain if the chain holds it. */
  freeKey(chain: Chain): void;
  /** Deletes a chain with its jobs, its key and its releases. */
  remove(chain: Chain): void;
}

/** A row of a store: whatever the store needs to find it again. */
export interface Handle {
  readonly id: string;
}

/** How a chain can have ended. */
export type EndedStatus = Exclude<ChainStatus, "active">;

/** `attempt`: the attempt that holds the job's lease, which stays on record. `other`: a caller or a rule. */
export type EndedBy = "attempt" | "other";

/** A deduplication key that a chain holds. */
export interface Key {
  readonly key: string;
  readonly scope: KeyScope;
  /** When its window passes. Undefined: never. With `debounce`: when the chain is due at the latest. */
  readonly until: number | undefined;
}

/** The chain that holds a deduplication key. */
export interface KeyHolder<Chain> {
  readonly chain: Chain;
  readonly status: ChainStatus;
  readonly input: string;
  readonly version: number;
  readonly createdAt: number;
  /** When the key's window passes. */
  readonly until: number | undefined;
}

/** What a job waits for, or has waited for. */
export interface Blockers<Chain> {
  readonly onBlockerFailure: OnBlockerFailure;
  /** The blocker chains that have not completed, each once, in position order. */
  readonly open: readonly Chain[];
}

/** Why a job failed without an attempt. */
export interface Failure<Chain> {
  readonly by: Chain;
  /** JSON text. */
  readonly errors: string;
}

/** A job that failed because of another chain. */
export interface FailedJob<Job> {
  readonly job: Job;
  readonly endedAt: number;
}

/** How a new job begins, and where in its chain. */
export interface Place<Job, Chain> {
  /** The job that it continues. Undefined: it begins a chain. */
  readonly after: Job | undefined;
  readonly status: "ready" | "scheduled" | "blocked" | "waiting" | "failed";
  /** With `waiting`: as `wait.until`, or now. */
  readonly dueAt: number;
  /** With `waiting`: what for. It has received nothing yet. */
  readonly wait: WaitRecord | undefined;
  /** In position order; a chain may be there more than once. */
  readonly blockers: readonly Chain[];
  /** Those that have not completed, each once. */
  readonly open: readonly Chain[];
  /** With `failed`. */
  readonly failure: Failure<Chain> | undefined;
  /** Of a chain's first job. */
  readonly key: Key | undefined;
  /** Whether the chain begins as the blocker of another job. */
  readonly isBlocker: boolean;
  /** Those of the blockers that began with the job. */
  readonly own: readonly Chain[];
  /** Of a chain's first job: when the chain is cancelled. Undefined: never, or the job is written as failed. */
  readonly deadlineAt: number | undefined;
}

/** The end of a job. */
export interface End<Chain> {
  readonly status: EndedStatus;
  /** JSON text. */
  readonly output: string | undefined;
  /** Undefined: 1. */
  readonly outputVersion: number | undefined;
  /** JSON text. Undefined: the errors on record stay. */
  readonly errors: string | undefined;
  /** Why the chain was cancelled. */
  readonly reason: string | undefined;
  /** The chain whose end made the job fail. */
  readonly failedBy: Chain | undefined;
  readonly by: EndedBy;
  readonly now: number;
}

/** How a job waits again after an attempt. */
export interface Wait {
  readonly dueAt: number;
  readonly status: "ready" | "scheduled";
  /** Whether the attempt counts. */
  readonly counted: boolean;
  /** JSON text. Undefined: the errors on record stay. */
  readonly errors: string | undefined;
}

/** What changes when an ended job becomes open again. */
export interface Reopening {
  readonly blockersLeft: number;
  /** JSON text. Undefined: the input stays. */
  readonly input: string | undefined;
  /** With an input: its version. */
  readonly version: number | undefined;
  /** With an input: its limits. Without one the job is under the limits that it was written with. */
  readonly limits: readonly JobLimit[] | undefined;
  /** Undefined: as scheduled before. */
  readonly dueAt: number | undefined;
  /** Whether it waits for signals again, as when it was written, until `dueAt` where that wait has an end. */
  readonly waits: boolean;
}

/** When a chain with the input of a later start is due. */
export interface Replacement {
  readonly dueAt: number;
  readonly status: "ready" | "scheduled";
  /** `Key.until` of the chain. */
  readonly until: number;
  /** Until when the chain holds its key. */
  readonly heldUntil: number;
}

/** Some of the jobs that wait for an ended chain. */
export interface Waiting<Job, Chain> {
  readonly chain: Chain;
  readonly status: EndedStatus;
  /** Those that are still blocked, in the order of their ids. */
  readonly jobs: readonly Dependent<Job>[];
  /** How many were looked at, whether or not they are still blocked. */
  readonly looked: number;
  /** Whether a release with the rest is stored. */
  readonly isCut: boolean;
}

/** A blocked job. */
export interface Dependent<Job> {
  readonly job: Job;
  readonly onBlockerFailure: OnBlockerFailure;
  readonly blockersLeft: number;
  /** When it is due by its own schedule; that may be in the past. */
  readonly dueAt: number;
}
