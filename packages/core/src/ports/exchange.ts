import type { LostReason, Outcome } from "../model/outcome.ts";
import type { ClaimedJob } from "../model/record.ts";
import type { Consequences, JobRef, Refusal, StartedJob } from "./reply.ts";

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
  readonly limit: number;
}

/** A job type that a worker handles, in one version and one pool, and the length of its leases. */
export interface ClaimType {
  readonly typeName: string;
  /** Only jobs whose input has this version. Undefined: 1. */
  readonly version?: number | undefined;
  /** Only jobs of this pool. Undefined: those without one. */
  readonly pool?: string | undefined;
  readonly leaseMs: number;
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
  /**
   * With a claim that was not filled: milliseconds until the next scheduled job of these types is due, the next of their leases runs
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
  | { readonly status: "lost"; readonly reason: LostReason }
  | { readonly status: "refused"; readonly refusal: Refusal }
  | { readonly status: "busy" };

/** The effects of a settled outcome. */
export interface Settled extends JobRef, Consequences {
  /** With `continued`: the jobs written, the next step first. */
  readonly started: readonly StartedJob[];
}
