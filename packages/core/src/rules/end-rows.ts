import type { Compensation } from "../model/compensation.ts";
import type { FollowUp, FollowUpKind } from "../model/follow-up.ts";
import type { Fence } from "../model/outcome.ts";
import type { CancelledEntry } from "../ports/change.ts";
import type { ChainStatus } from "../model/status.ts";

/**
 * What the rules need of a store for chains that compensate, that have a `whenStopped`, a deadline or blockers of their own: small
 * synchronous reads and writes that decide nothing. For a chain that uses none of it, `of` costs no read beside that of its first row.
 */
export interface EndRows<Job, Chain> {
  // Reads. What was written before in the same call is seen, whichever handle is given.

  /** What the chain has on record for its end. Undefined: nothing, as for most chains. */
  of(chain: Chain): Ends | undefined;
  /**
   * What undoes the steps of a chain, in the order in which they were done: by step, and within a step what passed to it from its
   * blockers, in the order in which it passed, before what the step itself recorded.
   */
  compensationsOf(chain: Chain): readonly Compensation[];
  /** The chains that were started because the chain stopped, in the order in which they were linked. */
  followUpsOf(chain: Chain): readonly FollowUpLink<Job, Chain>[];
  /** The stopped chain for whose stop a chain was started. Undefined: none, or that one was deleted or retried. */
  followedBy(chain: Chain): Chain | undefined;
  /** What a chain was started with. */
  entryOf(chain: Chain): CancelledEntry;
  /** What a stopped chain tells the chain that follows it. */
  stopOf(chain: Chain): StopFacts;
  /** The attempt whose lease of the job is in force. */
  attemptOf(job: Job, now: number): HeldAttempt | undefined;
  /** The job with which a chain was started inline, as a blocker of it. Undefined: none, or that job was deleted. */
  startedFor(chain: Chain): Job | undefined;
  /** The active chains that were started inline with a job, as blockers of it, each once, in position order. */
  ownBlockersOf(job: Job): readonly Chain[];
  /** Up to `limit` active chains whose deadline is not later than `now`, the earliest first. */
  overdue(now: number, limit: number): readonly Chain[];
  /** The earliest deadline of an active chain. */
  nextDeadlineAt(): number | undefined;

  // Writes.

  /** Records what undoes the step of a job. It replaces what the step recorded before, and nothing that passed to it. */
  record(job: Job, compensation: Compensation): void;
  /** Copies what undoes a chain: makes it part of what undoes the step of `job`, behind all that passed to it before. */
  pass(chain: Chain, job: Job): void;
  /** Deletes what undoes a chain. */
  forget(chain: Chain): void;
  dropDeadline(chain: Chain): void;
  /** Keeps the attempt that was running when the chain stopped. Undefined: there is none. */
  hold(chain: Chain, held: HeldAttempt | undefined): void;
  /** Adds a chain to those that were started because this one stopped. */
  link(chain: Chain, followUp: Chain, kind: FollowUpKind): void;
  /** Forgets which chains were started because this one stopped: the chains stay. */
  unlink(chain: Chain): void;
}

/** What a chain has on record for its end. */
export interface Ends {
  readonly whenStopped: FollowUp | undefined;
  /** Set from its stop until a retry. */
  readonly held: HeldAttempt | undefined;
}

/** A stopped chain and its last job. */
export interface StopFacts {
  /** `failed` or `cancelled`. */
  readonly status: ChainStatus;
  readonly input: string;
  readonly startedAt: number;
  readonly step: { readonly jobId: string; readonly typeName: string };
  /** JSON text. */
  readonly errors: string | undefined;
  readonly reason: string | undefined;
}

/** An attempt that was running when its chain was stopped from outside. */
export interface HeldAttempt {
  readonly attempt: Fence;
  /** The end of its lease. */
  readonly until: number;
}

/** A chain that was started because another one stopped. */
export interface FollowUpLink<Job, Chain> {
  readonly chainId: string;
  readonly kind: FollowUpKind;
  /** Undefined: it was deleted. */
  readonly row:
    | {
        readonly chain: Chain;
        readonly job: Job;
        /** Whether a job of it has ever been claimed. */
        readonly isClaimed: boolean;
      }
    | undefined;
}
