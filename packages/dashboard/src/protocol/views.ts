import type { LimitKeyView } from "./limits.ts";
import type { ProgressView } from "./progress.ts";

/** The status of a chain. */
export type ChainStatus = "active" | "completed" | "failed" | "cancelled";

export type JobStatus =
  | "blocked"
  | "waiting"
  | "scheduled"
  | "ready"
  | "running"
  | "completed"
  | "failed"
  | "cancelled";

/** One page of a list. The last page has no `nextCursor`. */
export interface Page<out Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | undefined;
  readonly now: number;
  /**
   * Set if a filter did not fill the page within the row limit of one request: everything up to this moment has been searched, and
   * `nextCursor` continues from there.
   */
  readonly searchedTo: number | undefined;
}

/** A chain. Times are in milliseconds since 1970. */
export interface ChainView {
  readonly id: string;
  /** The entry type. */
  readonly typeName: string;
  readonly status: ChainStatus;
  readonly createdAt: number;
  readonly endedAt: number | undefined;
  /** Set while the chain is failed. */
  readonly error: ErrorView | undefined;
  /** Set while the chain is cancelled. */
  readonly reason: string | undefined;
  /** By name. */
  readonly tags: readonly TagView[];
  readonly deduplicationKey: string | undefined;
}

/** A chain in a list, with the step where it is. */
export interface ChainRowView extends ChainView {
  /** The open step, or the one with which the chain ended; undefined if it was deleted meanwhile. */
  readonly current: CurrentStepView | undefined;
}

/** Where a chain is. */
export interface CurrentStepView {
  readonly id: string;
  readonly typeName: string;
  /** From 1. */
  readonly step: number;
  readonly status: JobStatus;
  readonly attempt: number;
  readonly pool: string | undefined;
  /** When it is due, or until when it waits. */
  readonly dueAt: number | undefined;
  /** The beginning of its input after `redact`, on one line. Of a large input its size. */
  readonly inputLine: string;
  readonly progress: ProgressView | undefined;
}

/** A tag after `redact`. */
export interface TagView {
  readonly name: string;
  readonly value: string;
}

/** The error of an unsuccessful attempt. In lists its texts are cut and the stack is left out. */
export interface ErrorView {
  readonly attempt: number;
  readonly at: number;
  readonly workerId: string;
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
  /** Whether the attempt did not count as one of those that the job has. */
  readonly uncounted: boolean;
  /** Whether `retry.when` of the job type decided what follows it. */
  readonly decidedByWhen: boolean;
  /** The errors that led to it, nearest first, each on one line. */
  readonly causes: readonly string[];
  /** Undefined: the call of the handler was for this job only. */
  readonly batch: BatchView | undefined;
}

/** The call of a handler that an attempt shared with other jobs. */
export interface BatchView {
  readonly size: number;
  /** How often batches of this job had been halved before. */
  readonly halvings: number;
  /** Some of its other jobs, by their ids. */
  readonly others: readonly string[];
}

/** What became of a job that was in a batch. */
export interface BatchJobView {
  readonly id: string;
  readonly chainId: string;
  readonly status: JobStatus;
  readonly attempt: number;
}

/** A payload after `redact`. Large payloads are only in the response of GET job. */
export type PayloadView =
  | { readonly kind: "value"; readonly value: unknown; readonly bytes: number }
  | { readonly kind: "large"; readonly bytes: number }
  /** It is stored in a version that the server's code cannot read; `summary` says why. */
  | { readonly kind: "unreadable"; readonly summary: string }
  | { readonly kind: "none" };

/** A step of a chain. */
export interface StepView {
  readonly id: string;
  readonly chainId: string;
  readonly typeName: string;
  /** From 1. */
  readonly step: number;
  readonly status: JobStatus;
  /** Only workers that serve it run the job; undefined: it is in none. */
  readonly pool: string | undefined;
  /** The version in which the input is stored. */
  readonly version: number;
  readonly priority: number;
  readonly attempt: number;
  readonly createdAt: number;
  readonly scheduledAt: number | undefined;
  readonly startedAt: number | undefined;
  readonly leasedBy: string | undefined;
  readonly leasedUntil: number | undefined;
  readonly endedAt: number | undefined;
  readonly continuedAs: string | undefined;
  readonly blockersLeft: number;
  /** While it waits for signals: until when. Undefined: until one comes. */
  readonly waitsUntil: number | undefined;
  readonly onBlockerFailure: "fail" | "wait";
  readonly input: PayloadView;
  readonly output: PayloadView;
  /** The errors of the last attempts, oldest first. */
  readonly errors: readonly ErrorView[];
  /** The last attempts that never reported a result, oldest first. */
  readonly lostAttempts: readonly LostAttemptView[];
  readonly blockers: Page<BlockerView>;
  /** What a running step says about how far it is. */
  readonly progress: ProgressView | undefined;
}

/** An attempt without a result: its worker died, or could not renew its lease in time. What is undefined is not known any more. */
export interface LostAttemptView {
  readonly attempt: number;
  readonly workerId: string | undefined;
  readonly workerName: string | undefined;
  readonly startedAt: number | undefined;
  /** When the lease ran out, or would have. */
  readonly leasedUntil: number | undefined;
  /** If the worker is lost: when its last heartbeat came. */
  readonly lastSeenAt: number | undefined;
}

export interface BlockerView {
  readonly position: number;
  readonly chain: ChainView;
}

/** A job that waits for a chain, or that has waited for it. */
export interface DependentView {
  readonly id: string;
  readonly chainId: string;
  readonly typeName: string;
  readonly status: JobStatus;
  readonly createdAt: number;
}

/** Why a job is not running. */
export interface ExplanationView {
  readonly jobId: string;
  readonly status: JobStatus;
  /** One sentence for people. */
  readonly summary: string;
  /** Of the last attempt that failed. */
  readonly lastError: ErrorView | undefined;
  /** The first hundred blockers that have not completed; those that failed or were cancelled come first. */
  readonly blockedBy: readonly { readonly id: string; readonly typeName: string; readonly status: ChainStatus }[];
  /** While it waits for them: how many there are, each chain counted once. `failed`: or cancelled. */
  readonly blockers: { readonly total: number; readonly completed: number; readonly failed: number } | undefined;
  readonly dueAt: number | undefined;
  readonly leasedBy: string | undefined;
  readonly leasedUntil: number | undefined;
  /** Jobs of its type that are claimed before it, counted up to 1,000. */
  readonly ahead: number | undefined;
  /** The limits that let no job with its key begin now. */
  readonly limitedBy: readonly LimitKeyView[];
  /** Names of live workers that handle its type. */
  readonly workers: readonly string[];
}
