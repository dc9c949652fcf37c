import type { DeduplicationScope, OnBlockerFailure } from "./status.ts";
import type { FollowUp } from "./follow-up.ts";
import type { Schedule } from "./schedule.ts";
import type { JobLimit } from "./limit.ts";
import type { JobWait, SentSignal } from "./signal.ts";
import type { Tags } from "./tags.ts";

/** A job to be written: the first of a chain, or a continuation. Payloads are JSON text from here on. */
export interface JobStart {
  /** UUID; of a first job also the id of its chain. */
  readonly id: string;
  readonly typeName: string;
  /** The version of its type that the input has. Undefined: 1. An integer from 1 to 32767. */
  readonly version?: number | undefined;
  /** Only workers that serve the pool claim it. Undefined: it has none. 1 to 100 characters without control characters. */
  readonly pool?: string | undefined;
  /** JSON text. */
  readonly input: string;
  /** Higher is claimed first. A 16-bit integer. */
  readonly priority: number;
  /** Undefined: due at once. */
  readonly schedule: Schedule | undefined;
  /** In the order in which the handler sees them. The same chain may occur more than once. */
  readonly blockers: readonly BlockerStart[];
  readonly onBlockerFailure: OnBlockerFailure;
  /** Only on the first job of a chain. With `debounce` or `throttle` it has neither a schedule nor blockers. */
  readonly deduplication: Deduplication | Debounce | Throttle | undefined;
  /** Only on the first job of a chain, and never empty. */
  readonly tags?: Tags | undefined;
  /** Opaque text of an observer (a trace context), returned with the claim. */
  readonly context: string | undefined;
  /** The limits that it is under, ordered by name; at most 4, each named once. Undefined: none. Never empty. */
  readonly limits?: readonly JobLimit[] | undefined;
  /** Only on the first job of a chain: what runs after the chain has failed or was cancelled. */
  readonly whenStopped?: FollowUp | undefined;
  /** Only on the first job of a chain: when the store cancels the chain if it is active, with the reason `deadline`. */
  readonly deadline?: Schedule | undefined;
  /** It waits for signals, without a worker. Then it has no `schedule` and no blockers. Undefined: it does not wait. */
  readonly waits?: JobWait | undefined;
  /**
   * Only on the first job of a chain, and never empty: signals that reach the chain in the same statement, which is the new one, or
   * the active one that holds the deduplication key. A key that an ended chain holds goes to a new chain.
   */
  readonly signals?: readonly SentSignal[] | undefined;
}

/** A chain that must complete first: one that exists, or one started in the same statement. */
export type BlockerStart =
  | { readonly chainId: string; readonly typeName: string | undefined }
  | { readonly start: JobStart };

/** One chain for all starts with a key. */
export interface Deduplication {
  /** Unique in the store: the engine has included the type name. */
  readonly key: string;
  readonly scope: DeduplicationScope;
  /** Counted from the start; undefined: no limit. */
  readonly windowMs: number | undefined;
}

/** One chain for starts that come soon after each other, with the input of the last one. */
export interface Debounce {
  /** As in {@link Deduplication}. */
  readonly key: string;
  readonly scope: "debounce";
  /** The chain is due so long after the last start. */
  readonly quietMs: number;
  /** The chain is due at most so long after the first start. */
  readonly maxWaitMs: number;
}

/** One chain at once, and in each window after it at most one more, due at its end, with the input of the last start. */
export interface Throttle {
  /** As in {@link Deduplication}. */
  readonly key: string;
  readonly scope: "throttle";
  readonly perMs: number;
}
