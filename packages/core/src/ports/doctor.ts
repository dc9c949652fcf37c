import type { DoctorCheck, FaultKind } from "../model/fault.ts";

/**
 * One thing that is wrong, as a store reports it.
 *
 * @example
 * const typesWith = (kind: FaultKind, faults: readonly StoreFault[]) =>
 *   faults.filter((fault) => fault.kind === kind).map(({ typeName }) => typeName);
 */
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

/**
 * One page of a check.
 *
 * @example
 * const request: InspectRequest = { check: "leases", after: undefined, limit: 1_000, heldBeforeMs: 60_000, timeMs: 5_000 };
 * const { faults, next } = await stateAdapter.inspect(request, {});
 * if (next !== undefined) await stateAdapter.inspect({ ...request, after: next }, {});
 */
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

/**
 * What a page of a check has found.
 *
 * @example
 * const isClean = ({ faults, next, isCut }: InspectReply) => faults.length === 0 && next === undefined && !isCut;
 */
export interface InspectReply {
  readonly faults: readonly StoreFault[];
  /** Where the next page begins; undefined: this was the last one. */
  readonly next: string | undefined;
  /** The time was over before everything was seen: nothing is known. */
  readonly isCut: boolean;
}

/**
 * Faults to mend, all of one check.
 *
 * @example
 * const mend = (faults: readonly StoreFault[]): RepairRequest => ({ faults, limit: 1_000, timeMs: 10_000 });
 */
export interface RepairRequest {
  readonly faults: readonly StoreFault[];
  /** The most rows that a transaction changes. */
  readonly limit: number;
  readonly timeMs: number;
}

/**
 * What became of a fault: `repaired`; `gone`, because it was not there any more; `busy`, because somebody has it locked; `left`,
 * because nothing that is safe can be done, or there was no time.
 *
 * @example
 * const isOver = (outcome: RepairOutcome) => outcome === "repaired" || outcome === "gone";
 */
export type RepairOutcome = "repaired" | "gone" | "busy" | "left";
