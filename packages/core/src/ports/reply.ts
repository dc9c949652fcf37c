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
    | "blocker-cycle"
    | "schedule-not-found"
    | "schedule-changed"
    | "too-many-signals";
  /** The id of the chain, job or schedule. */
  readonly id: string;
  /**
   * With `job-type-mismatch`: the actual type. With `chain-not-active` and similar codes: the actual status. With `schedule-changed`: the
   * actual revision.
   */
  readonly actual?: string | undefined;
  /**
   * With `chain-referenced`: ids of chains blocked by it. With `chain-not-retryable`: chains that prevent the retry. With
   * `job-not-scheduled`: the stopped chain that the job follows, if it waits for the end of an attempt of that chain. With
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
  /** `failed`: a blocker had already failed. `waiting`: for signals. */
  readonly status: "ready" | "scheduled" | "blocked" | "waiting" | "failed";
  /** With `scheduled`, and with `waiting` where the wait has an end: milliseconds from now until then. */
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
  /** The chains that ended in this call with signals that no job had taken. */
  readonly unused?: readonly UnusedSignals[] | undefined;
  /**
   * The first jobs of the chains that were started because chains failed or were cancelled in this call, in the order in which they run.
   * The first one of a chain is `scheduled` for the end of the lease if an attempt of the stopped chain was running. Undefined: none.
   */
  readonly followUps?: readonly StartedJob[] | undefined;
  /**
   * Whether more jobs still have to be released or failed. One call does this for a bounded number of jobs, and for
   * none that another transaction has locked. The rest is stored in the same transaction, and each later exchange, of any
   * worker or client, performs one more step of it. Until then these jobs stay blocked.
   */
  readonly releasing: boolean;
}

/** Signals of a chain that has ended. */
export interface UnusedSignals {
  readonly chainId: string;
  /** How many no job has taken. */
  readonly count: number;
}
