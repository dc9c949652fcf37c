import type { FollowUpKind } from "./follow-up.ts";
import type { ChainStatus, JobStatus, OnBlockerFailure } from "./status.ts";
import type { ClaimedLimit, LimitKey } from "./limit.ts";
import type { Memo } from "./note.ts";
import type { ReceivedSignal, WaitRecord } from "./signal.ts";
import type { Tags } from "./tags.ts";

/** The bytes of UTF-8 of payloads that a list has not read. The record's own field is empty then. */
export interface OmittedPayloads {
  readonly input?: number | undefined;
  readonly output?: number | undefined;
}

/** A job as a store returns it. Payloads and errors are JSON text, moments are milliseconds since 1970. */
export interface JobRecord {
  readonly id: string;
  readonly chainId: string;
  readonly typeName: string;
  /** The version of its type that the input has. */
  readonly version: number;
  /** Only workers that serve the pool claim it. Undefined: it has none. */
  readonly pool: string | undefined;
  /** From 1: its place in the chain. */
  readonly step: number;
  readonly status: JobStatus;
  readonly priority: number;
  readonly input: string;
  /** Set when it ended its chain as completed. */
  readonly output: string | undefined;
  /** Set if a payload was left out, see `PayloadQuery`. */
  readonly omitted?: OmittedPayloads | undefined;
  /** The version of its type that the output has; 1 without an output. */
  readonly outputVersion: number;
  /** JSON text of the last attempts' errors, oldest first. */
  readonly errors: string | undefined;
  /** Attempts since the last retry, without those that do not count. */
  readonly attempt: number;
  readonly createdAt: number;
  /** When it is due; set while `scheduled`. */
  readonly scheduledAt: number | undefined;
  /** While `running`: the worker, and the begin and end of its lease. Once ended: the worker that ended it, and when that attempt began. */
  readonly leasedBy: string | undefined;
  readonly startedAt: number | undefined;
  readonly leasedUntil: number | undefined;
  /** While `ready`: the lease of its last attempt, if that ran out before the attempt reported a result. Undefined: it did not. */
  readonly lapsed?: LapsedLease | undefined;
  readonly endedAt: number | undefined;
  /** The job that continued it. */
  readonly nextJobId: string | undefined;
  readonly onBlockerFailure: OnBlockerFailure;
  /** Blockers not yet completed; above 0 while `blocked`. */
  readonly blockersLeft: number;
  /** While later starts with its key replace its input. */
  readonly gathers?: Gathers | undefined;
  /** Whether it waits, or waited, for other chains. False once it has ended: a store need not look. */
  readonly hasBlockers: boolean;
  /** The limits that it is under while it is open. Undefined: none, or it has ended. */
  readonly limits?: readonly LimitKey[] | undefined;
  /** What it waits for; set while `waiting`. */
  readonly waits?: WaitRecord | undefined;
  /** The signals that it has taken, in their order. Undefined: it has never waited. */
  readonly received?: readonly ReceivedSignal[] | undefined;
}

/** A lease that has run out. */
export interface LapsedLease {
  readonly leasedBy: string;
  /** When the attempt began. */
  readonly startedAt: number;
  readonly leasedUntil: number;
}

/** By which option starts gather in a job. `until`: with `debounce`, when it is due at the latest; with `throttle`, when its window ends. */
export interface Gathers {
  readonly by: "debounce" | "throttle";
  readonly until: number;
}

/** A chain as a store returns it, from its first job's row and its last job's output. */
export interface ChainRecord {
  readonly id: string;
  /** The entry type. */
  readonly typeName: string;
  readonly status: ChainStatus;
  readonly input: string;
  /** The version of the entry type that the input has. */
  readonly version: number;
  /** Set when completed. */
  readonly output: string | undefined;
  /** Set if a payload was left out, see `PayloadQuery`. */
  readonly omitted?: OmittedPayloads | undefined;
  /** The version of the last job's type that the output has; 1 without an output. */
  readonly outputVersion: number;
  /** The type of the job that ended it with this output; undefined without an output. */
  readonly outputTypeName: string | undefined;
  /** Set when failed: the last job's. */
  readonly errors: string | undefined;
  /** Set when cancelled with a reason. */
  readonly reason: string | undefined;
  /** The deduplication key that it was started with, as stored, whether or not it holds the key. */
  readonly key: string | undefined;
  /** Undefined: it has none. */
  readonly tags: Tags | undefined;
  readonly createdAt: number;
  readonly endedAt: number | undefined;
  /**
   * The chains that its failure or its cancellation has started, in the order in which they run. Undefined: none. Those that were
   * deleted since, or that a retry of the chain cancelled, are not among them.
   */
  readonly followUps?: readonly FollowUpRecord[] | undefined;
  /** The stopped chain for whose stop it was started. Undefined: none, or that one was deleted or retried. */
  readonly follows?: string | undefined;
  /** While it is active: when it is cancelled. Undefined: never. */
  readonly deadlineAt?: number | undefined;
}

/** A chain that was started because another one failed or was cancelled. */
export interface FollowUpRecord {
  readonly chainId: string;
  readonly typeName: string;
  readonly kind: FollowUpKind;
  readonly status: ChainStatus;
}

/** How far the blockers of a job are, each chain counted once. */
export interface BlockerCounts {
  readonly total: number;
  readonly completed: number;
  /** Failed or cancelled. */
  readonly failed: number;
}

/** A blocker of a job, at its position. */
export interface BlockerRecord {
  readonly jobId: string;
  readonly position: number;
  readonly chain: ChainRecord;
}

/** A job leased to a worker, with everything that its handler sees. */
export interface ClaimedJob {
  readonly id: string;
  readonly chainId: string;
  readonly typeName: string;
  /** The version of its type that the input has. */
  readonly version: number;
  /** Undefined: it has none. */
  readonly pool: string | undefined;
  readonly step: number;
  readonly priority: number;
  readonly input: string;
  /** The number of this attempt, from 1 after each retry of the chain: one more than the job had. */
  readonly attempt: number;
  /**
   * How often the job has been claimed in all, this time included: unlike `attempt` it never repeats and never goes back, neither
   * after attempts that do not count nor after a retry.
   */
  readonly fence: number;
  readonly errors: string | undefined;
  readonly createdAt: number;
  /** Milliseconds between the moment when it could first run and this claim, by the store's clock. */
  readonly waitedMs: number;
  readonly context: string | undefined;
  readonly blockers: readonly ClaimedBlocker[];
  /** The limits whose places it holds. Undefined: none. */
  readonly limits?: readonly ClaimedLimit[] | undefined;
  /** The signals that its wait has taken, in their order. Whether they ended the wait: see {@link endedBy}. Undefined: it has never waited. */
  readonly received?: readonly ReceivedSignal[] | undefined;
  /** As in the `waits` with which it was written. */
  readonly collect?: Readonly<Record<string, number>> | undefined;
  /** All memos of the job, in any order. Undefined: it has none. */
  readonly memos?: readonly Memo[] | undefined;
  /** The checkpoint of the job, JSON text. Undefined: it has none. */
  readonly checkpoint?: string | undefined;
}

/** A completed blocker, as the handler of the blocked job sees it. */
export interface ClaimedBlocker {
  readonly chainId: string;
  readonly typeName: string;
  readonly input: string;
  /** The version of the entry type that the input has. */
  readonly version: number;
  readonly output: string;
  /** The version of the last job's type that the output has. */
  readonly outputVersion: number;
  readonly createdAt: number;
  readonly endedAt: number;
  /** What the observers captured when the blocker was started. */
  readonly context: string | undefined;
}

/** A worker with a valid heartbeat. */
export interface WorkerRecord {
  readonly id: string;
  readonly name: string;
  readonly typeNames: readonly string[];
  readonly concurrency: number;
  /** The newest version of the store's schema that its package knows. */
  readonly schemaVersion: number;
  /** The version of the package that it runs; undefined for a release that does not report it. */
  readonly packageVersion: string | undefined;
  /** The number that the application gave its code. */
  readonly codeVersion: number | undefined;
  /** The newest version that it reads, by type; types that are not named have one version. */
  readonly versions: Readonly<Record<string, number>>;
  /** The pools that it serves; null: jobs without a pool. */
  readonly pools: readonly (string | null)[];
  /** Jobs leased to it now. */
  readonly holds: number;
  readonly startedAt: number;
  readonly lastSeenAt: number;
}

/** A worker whose heartbeats stopped without its end being reported. */
export interface LostWorkerRecord extends WorkerRecord {
  /** When its last heartbeat ceased to be valid. */
  readonly lostAt: number;
  /** The jobs that it held when another worker noticed its silence: the first `lostWorkerLimits.mostHeld`, in any order. Undefined: no one has. */
  readonly held: readonly HeldJob[] | undefined;
}

/** A job that a worker held. */
export interface HeldJob {
  readonly jobId: string;
  readonly attempt: number;
  readonly startedAt: number;
  readonly leasedUntil: number;
}
