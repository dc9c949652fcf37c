/** A value, or the reason why a call wrote nothing. */
export type Reply<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly refusal: Refusal };

/** Why a call wrote nothing. */
export interface Refusal {
  readonly code:
    | "duplicate-id"
    | "chain-not-found"
    | "job-not-found"
    | "job-type-mismatch"
    | "chain-not-active"
    | "job-not-scheduled"
    | "chain-not-retryable"
    | "chain-referenced"
    | "blocker-cycle";
  /** The id of the chain or job. */
  readonly id: string;
  /** With `job-type-mismatch`: the actual type. With `chain-not-active` and similar codes: the actual status. */
  readonly actual?: string | undefined;
  /**
   * With `chain-referenced`: ids of chains blocked by it. With `chain-not-retryable`: chains that prevent the retry. With
   * `blocker-cycle`: the cycle, which may include failed or cancelled chains because they can be retried.
   */
  readonly references?: readonly string[] | undefined;
}

/** Names a job, its chain and its type. */
export interface JobRef {
  readonly jobId: string;
  readonly chainId: string;
  readonly typeName: string;
}

/** A job that a worker may claim now or later. */
export interface WaitingJob extends JobRef {
  /** The name under which a worker claims it, where that is not its type, see `claimName`. */
  readonly claimName?: string | undefined;
}

/** A job that was written, and what it waits for. */
export interface StartedJob extends WaitingJob {
  /** `failed`: a blocker had already failed. */
  readonly status: "ready" | "scheduled" | "blocked" | "failed";
  /** With `scheduled`: milliseconds from now until it is due. */
  readonly dueInMs: number | undefined;
}

/** The effects of the end or the retry of a chain on chains that wait for it, directly or indirectly. */
export interface Consequences {
  /** Became ready or scheduled: their last blocker completed. */
  readonly unblocked: readonly StartedJob[];
  /** Failed with their chains: a blocker failed or was cancelled. */
  readonly failed: readonly JobRef[];
  /** Blocked again: a blocker that had failed was retried. */
  readonly reblocked: readonly JobRef[];
  /** Ids of the chains that ended in this call and that a process awaits, see `StateAdapter.noteAwaited`. */
  readonly awaited?: readonly string[] | undefined;
  /**
   * Whether more jobs still have to be released or failed. One call does this for a bounded number of jobs, and for
   * none that another transaction has locked. The rest is stored in the same transaction, and each later exchange, of any
   * worker or client, performs one more step of it. Until then these jobs stay blocked.
   */
  readonly releasing: boolean;
}
