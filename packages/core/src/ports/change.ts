import type { Consequences, JobRef, StartedJob } from "./reply.ts";

/** A chain to cancel. */
export interface CancelItem {
  readonly chainId: string;
  readonly reason: string | undefined;
}

/** The effects of cancelling a chain. */
export interface CancelReply extends JobRef, Consequences {
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
  /** The expected type of that job; another type is refused with `job-type-mismatch`. Undefined: any. */
  readonly typeName: string | undefined;
}

/** The effects of retrying a chain. */
export interface RetryReply extends Consequences {
  readonly job: StartedJob;
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
