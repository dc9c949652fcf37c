import type { DoctorCheck, FaultKind } from "../model/fault.ts";
import type { ChainId } from "../model/ids.ts";

/**
 * The options of `client.doctor`.
 *
 * @example
 * const nightly: DoctorOptions = { repair: true, timeLimitMs: 10 * 60_000 };
 * const { findings } = await client.doctor(nightly);
 * for (const { kind, problem, status } of findings) logger.warn({ kind, problem, status });
 */
export interface DoctorOptions {
  /** Repairs what is safe to repair. Default: false, so nothing is changed. */
  readonly repair?: boolean | undefined;
  /** The checks to run. Default: all. */
  readonly checks?: readonly DoctorCheck[] | undefined;
  /** The most findings in a report, up to 10,000. Default: 1,000. */
  readonly limit?: number | undefined;
  /** How long it may take, in milliseconds. Default: 60,000. */
  readonly timeLimitMs?: number | undefined;
  /** The `nextCursor` of a report that reached its limit or its time; the doctor continues from there. */
  readonly cursor?: string | undefined;
}

/** The report of `client.doctor`. */
export interface DoctorReport {
  readonly findings: readonly DoctorFinding[];
  /** The checks that are finished, in this report or, with `cursor`, before. For `counts` see also `uncounted`. */
  readonly completed: readonly DoctorCheck[];
  /** There was not enough time to count all jobs in one go, so counts were not compared: raise `timeLimitMs`. */
  readonly uncounted: boolean;
  /** Sentences about what is no fault, but costs throughput, such as many workers with few slots. Empty until everything was checked. */
  readonly advice: readonly string[];
  /** Pass it as `cursor` to continue; undefined if everything was checked. */
  readonly nextCursor: string | undefined;
}

/** One fault of the store. */
export interface DoctorFinding {
  readonly kind: FaultKind;
  /** The id of the job or chain; or a deduplication key, a status, or a function's name. */
  readonly id: string;
  readonly chainId: ChainId | undefined;
  readonly typeName: string | undefined;
  /** What is wrong, in a sentence. */
  readonly problem: string;
  /**
   * `repairable`: `repair: true` would repair it. `manual`: no automatic repair is safe. `repaired`: it was repaired. `busy`:
   * running work has locked it; run the doctor again later. `failed`: the repair threw.
   */
  readonly status: "repairable" | "manual" | "repaired" | "busy" | "failed";
  /** The repair that was made, would be made, or has to be made by hand. */
  readonly remedy: string;
}
