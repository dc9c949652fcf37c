import type { ChainStatus, JobStatus } from "../model/status.ts";

/**
 * Why a job is not running, or what became of it.
 *
 * @example
 * const told = ({ summary, workers }: JobExplanation) =>
 *   workers.length === 0 ? `${summary} And no worker handles it.` : summary;
 * const explanation = await client.explainJob({ id });
 * if (explanation !== undefined) console.log(told(explanation));
 */
export interface JobExplanation {
  readonly id: string;
  readonly typeName: string;
  readonly status: JobStatus;
  /** One sentence for a person. */
  readonly summary: string;
  /** While blocked: the blockers that have not completed, the first hundred. */
  readonly blockedBy: readonly { readonly id: string; readonly typeName: string; readonly status: ChainStatus }[];
  /** While scheduled. */
  readonly dueAt: Date | undefined;
  /** While running. */
  readonly leasedBy: string | undefined;
  readonly leasedUntil: Date | undefined;
  /** While ready: jobs of its type that go first, counted up to 1,000. */
  readonly ahead: number | undefined;
  /** Live workers that handle its type. */
  readonly workers: readonly string[];
}

/**
 * A worker that says it is alive.
 *
 * @example
 * const load = ({ name, holds, concurrency }: WorkerInfo) => `${name}: ${holds} of ${concurrency}`;
 * console.log((await client.listWorkers()).map(load));
 */
export interface WorkerInfo {
  readonly id: string;
  readonly name: string;
  readonly typeNames: readonly string[];
  readonly concurrency: number;
  /** Jobs leased to it now. */
  readonly holds: number;
  readonly startedAt: Date;
  readonly lastSeenAt: Date;
}

/**
 * How many jobs of one type stand in each status.
 *
 * @example
 * const backlog = ({ ready, oldestReadyMs = 0 }: JobCounts) => `${ready} wait, the oldest for ${oldestReadyMs} ms`;
 * const counts = (await client.countJobs())["mail.send"];
 * if (counts !== undefined) console.log(backlog(counts));
 */
export interface JobCounts extends Readonly<Record<JobStatus, number>> {
  /** How long the oldest ready one has been ready; undefined when none is. */
  readonly oldestReadyMs: number | undefined;
}
