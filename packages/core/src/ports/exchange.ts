import type { LostReason, Outcome } from "../model/outcome.ts";
import type { ClaimedJob } from "../model/record.ts";
import type { CancelReply } from "./change.ts";
import type { Consequences, JobRef, Refusal, StartedJob, WaitingJob } from "./reply.ts";

/** The outcomes that a worker hands in and the jobs that it asks for, in one round trip. */
export interface ExchangeRequest {
  readonly outcomes: readonly Outcome[];
  /** Undefined: claim nothing. */
  readonly claim: Claim | undefined;
}

/** The jobs that a worker asks for. */
export interface Claim {
  readonly workerId: string;
  /** Each type, version and pool at most once. Those of equal priority are searched in this order; the engine rotates it between claims. */
  readonly types: readonly ClaimType[];
  /** The most jobs of the types that have no limit of their own. */
  readonly limit: number;
  /**
   * How many jobs under limits can begin at once. Of others a claim may return one whose limits have no rate and are not paused, if
   * at most half of the places of each of its keys are held then: such a job waits for a slot, and keeps no other worker from beginning
   * one. Undefined: as many as `limit`. A worker says it when it looks for such jobs.
   */
  readonly startable?: number | undefined;
  /** Whether it looks for jobs under limits. Undefined: only if it makes one ready itself. */
  readonly limited?: boolean | undefined;
  /**
   * Whether it also cancels chains whose deadline has passed, a bounded number of them. The next deadline counts for `nextDueInMs`
   * then; 0 if more have passed. Undefined: no.
   */
  readonly deadlines?: boolean | undefined;
}

/** A job type that a worker handles, in one version and one pool, and the length of its leases. */
export interface ClaimType {
  readonly typeName: string;
  /** Only jobs whose input has this version. Undefined: 1. */
  readonly version?: number | undefined;
  /** Only jobs of this pool. Undefined: those without one. */
  readonly pool?: string | undefined;
  readonly leaseMs: number;
  /**
   * The most jobs of this type name, in all its versions and pools together: they do not count for the limit of the claim, and neither
   * for `startable`. All entries of a type name have the same. Undefined: they count for the limit of the claim.
   */
  readonly limit?: number | undefined;
}

/** The results of the outcomes, and the claimed jobs. */
export interface ExchangeReply {
  readonly settled: readonly SettleReply[];
  /**
   * What this exchange released for chains that ended earlier. `releasing`: the next exchange can continue at once. Jobs that
   * other transactions have locked do not count; `nextDueInMs` then says when to try again.
   */
  readonly released: Consequences;
  readonly claimed: readonly ClaimedJob[];
  /** The chains that this exchange cancelled because their deadline had passed. Undefined: none. */
  readonly expired?: readonly CancelReply[] | undefined;
  /**
   * With a claim that was not filled, for the claim or for a type with a limit of its own: milliseconds until the next scheduled job of these types is due, the next of their leases runs
   * out, or the pause of one of them ends by itself, whichever is first. The jobs of a paused type do not count. Undefined: nothing
   * is due.
   */
  readonly nextDueInMs: number | undefined;
}

/**
 * The result of an outcome: settled; lost, because the attempt has lost its lease; refused; or busy: other transactions have locked
 * its rows, nothing was written, and the same outcome may be sent again. Only calls with `waitMs` return `busy`.
 */
export type SettleReply =
  | ({ readonly status: "settled" } & Settled)
  | {
      readonly status: "lost";
      readonly reason: LostReason;
      /** Follow-ups of the chain that waited for the end of this attempt, and are ready now. Undefined: none. */
      readonly ready?: readonly WaitingJob[] | undefined;
    }
  | { readonly status: "refused"; readonly refusal: Refusal }
  | { readonly status: "busy" };

/** The effects of a settled outcome. */
export interface Settled extends JobRef, Consequences {
  /** With `continued`: the jobs written, the next step first. */
  readonly started: readonly StartedJob[];
}
