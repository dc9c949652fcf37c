import type { JobLimit } from "../model/limit.ts";
import type { Consequences, JobRef, StartedJob } from "./reply.ts";

/** A chain to cancel. */
export interface CancelItem {
  readonly chainId: string;
  readonly reason: string | undefined;
  /**
   * `cancel`: also the active chains that were started inline as blockers of its open job and for which no other open job waits, except
   * those of chains that this call cancels; and theirs. They end with the same reason. Undefined: `leave`.
   */
  readonly blockers?: "cancel" | "leave" | undefined;
}

/** The effects of cancelling a chain. */
export interface CancelReply extends JobRef, Consequences {
  /** What the chain was started with. */
  readonly entry: CancelledEntry;
  /** The blockers that were cancelled with it. Undefined: none. The consequences are also those of their ends. */
  readonly blockers?: readonly CancelledBlocker[] | undefined;
  /** The worker whose attempt was running. */
  readonly interrupted: string | undefined;
}

/** The first job of a cancelled chain. */
export interface CancelledEntry {
  readonly typeName: string;
  readonly input: string;
  readonly version: number;
}

/** A chain that was cancelled with the one that had started it. */
export interface CancelledBlocker extends JobRef {
  /** The worker whose attempt was running. */
  readonly interrupted: string | undefined;
}

/** A failed or cancelled chain to retry. */
export interface RetryItem {
  readonly chainId: string;
  /** JSON text that replaces the input of the job where it stopped. */
  readonly input: string | undefined;
  /** The version of its type that the new input has. Undefined: 1. Without an input it means nothing: the job keeps its version. */
  readonly version?: number | undefined;
  /** The limits that the job is under with the new input. Undefined: none. Without an input it means nothing: the job keeps its limits. */
  readonly limits?: readonly JobLimit[] | undefined;
  /** The expected type of that job; another type is refused with `job-type-mismatch`. Undefined: any. */
  readonly typeName: string | undefined;
}

/** The effects of retrying a chain. */
export interface RetryReply extends Consequences {
  readonly job: StartedJob;
  /** The follow-ups that were cancelled because their chain is active again: of this chain, and of those that are blocked again. Undefined: none. */
  readonly withdrawn?: readonly JobRef[] | undefined;
}

/** Chains to delete. */
export interface RemoveRequest {
  readonly chainIds: readonly string[];
  /** Also delete the chains blocked by them, and the ones blocked by those. */
  readonly cascade: boolean;
}

/** A chain that was deleted. */
export interface RemoveReply {
  readonly chainId: string;
  readonly typeName: string;
  /** The attempt that was running. */
  readonly interrupted: InterruptedAttempt | undefined;
}

/** An attempt whose job was deleted while it ran. */
export interface InterruptedAttempt {
  readonly jobId: string;
  readonly workerId: string;
}
