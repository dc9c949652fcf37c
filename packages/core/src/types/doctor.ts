import type { DoctorCheck, FaultKind } from "../model/fault.ts";

/**
 * What `client.doctor` takes.
 *
 * @example
 * const nightly: DoctorOptions = { repair: true, timeLimitMs: 10 * 60_000 };
 * const { findings } = await client.doctor(nightly);
 * for (const { kind, problem, status } of findings) logger.warn({ kind, problem, status });
 */
export interface DoctorOptions {
  /** Mends what is safe to mend. Default: false, it only looks. */
  readonly repair?: boolean | undefined;
  /** What to look at. Default: everything. */
  readonly checks?: readonly DoctorCheck[] | undefined;
  /** The most findings in a report, up to 10,000. Default: 1,000. */
  readonly limit?: number | undefined;
  /** How long it may take, in milliseconds. Default: 60,000. */
  readonly timeLimitMs?: number | undefined;
  /** The `nextCursor` of a report that came to its limit or its time: continues from there. */
  readonly cursor?: string | undefined;
}

/** What `client.doctor` found. */
export interface DoctorReport {
  readonly findings: readonly DoctorFinding[];
  /** Checks that came to their end, in this report or, with `cursor`, before. Of `counts` see also `uncounted`. */
  readonly completed: readonly DoctorCheck[];
  /** There was not enough time to count all jobs in one go, so counts were not compared: raise `timeLimitMs`. */
  readonly uncounted: boolean;
  /** Pass it as `cursor` to continue; undefined: everything was looked at. */
  readonly nextCursor: string | undefined;
}

/** One thing that is wrong. */
export interface DoctorFinding {
  readonly kind: FaultKind;
  /** Of the job or chain; a deduplication key, a status, or a function's name. */
  readonly id: string;
  readonly chainId: string | undefined;
  readonly typeName: string | undefined;
  /** What is wrong, in a sentence. */
  readonly problem: string;
  /**
   * `repairable`: `repair: true` would mend it. `manual`: nothing that is safe can be done by itself. `repaired`: it was mended.
   * `busy`: running work has it locked; look again later. `failed`: the repair threw.
   */
  readonly status: "repairable" | "manual" | "repaired" | "busy" | "failed";
  /** What was done, would be done, or is to be done by hand. */
  readonly remedy: string;
}
