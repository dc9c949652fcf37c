import type { DoctorCheck, FaultKind } from "../model/fault.ts";

/** One fault, as a store reports it. */
export interface StoreFault {
  readonly kind: FaultKind;
  /** The id of the job, or of the chain where the kind is about a chain; else a key, a tag as JSON (`[name, value]`), a limit with its key as JSON (`[limit, key]`, of stores that count places), a status or a function's name. */
  readonly id: string;
  readonly chainId?: string | undefined;
  readonly typeName?: string | undefined;
  /** With `lease-of-no-one`. */
  readonly workerId?: string | undefined;
  /** With `wrong-count`: the stored count and the actual one. */
  readonly counted?: number | undefined;
  readonly actual?: number | undefined;
}

/** One page of a check. */
export interface InspectRequest {
  readonly check: DoctorCheck;
  /** The `next` of the previous page. */
  readonly after: string | undefined;
  /** The most rows that a statement reads. */
  readonly limit: number;
  /** With `leases`: only leases at least this old, because a new worker may not have sent its first heartbeat. */
  readonly heldBeforeMs: number;
  /** The most time for a check that has to see everything at one moment, as `counts` does. */
  readonly timeMs: number;
}

/** The result of one page of a check. */
export interface InspectReply {
  readonly faults: readonly StoreFault[];
  /** The start of the next page; undefined: this was the last one. */
  readonly next: string | undefined;
  /** The time ran out before everything was read, so the result says nothing. */
  readonly isCut: boolean;
}

/** Faults to repair, all of one check. */
export interface RepairRequest {
  readonly faults: readonly StoreFault[];
  /** The most rows that a transaction changes. */
  readonly limit: number;
  readonly timeMs: number;
}

/**
 * The result for one fault: `repaired`; `gone`, because it no longer exists; `busy`, because another transaction has locked it;
 * `left`, because no repair is safe or the time ran out.
 */
export type RepairOutcome = "repaired" | "gone" | "busy" | "left";
