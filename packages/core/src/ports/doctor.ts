import type { DoctorCheck, FaultKind } from "../model/fault.ts";

/** One thing that is wrong, as a store reports it. */
export interface StoreFault {
  readonly kind: FaultKind;
  /** Of the job; of the chain for kinds that are about one; a key, a status, or a function's name. */
  readonly id: string;
  readonly chainId?: string | undefined;
  readonly typeName?: string | undefined;
  /** With `lease-of-no-one`. */
  readonly workerId?: string | undefined;
  /** With `wrong-count`: what the store says, and what is there. */
  readonly counted?: number | undefined;
  readonly actual?: number | undefined;
}

/** One page of a check. */
export interface InspectRequest {
  readonly check: DoctorCheck;
  /** The `next` of the page before. */
  readonly after: string | undefined;
  /** The most rows that a statement looks at. */
  readonly limit: number;
  /** With `leases`: only those taken so long ago or earlier; a worker may not have said yet that it lives. */
  readonly heldBeforeMs: number;
  /** The most time that a check may take which has to see everything at one moment, as `counts` does. */
  readonly timeMs: number;
}

/** What a page of a check has found. */
export interface InspectReply {
  readonly faults: readonly StoreFault[];
  /** Where the next page begins; undefined: this was the last one. */
  readonly next: string | undefined;
  /** The time was over before everything was seen: nothing is known. */
  readonly isCut: boolean;
}

/** Faults to mend, all of one check. */
export interface RepairRequest {
  readonly faults: readonly StoreFault[];
  /** The most rows that a transaction changes. */
  readonly limit: number;
  readonly timeMs: number;
}

/**
 * What became of a fault: `repaired`; `gone`, because it was not there any more; `busy`, because somebody has it locked; `left`,
 * because nothing that is safe can be done, or there was no time.
 */
export type RepairOutcome = "repaired" | "gone" | "busy" | "left";
