import type { JobRow } from "./row-types.ts";

/*
 * What a store with a log has to write when a call or a transaction commits: which rows have changed. Their content is read at the
 * commit, so that a row which is changed several times is written once, and one whose change was undone as it was before.
 */

/** The tables of a store that a log keeps, apart from the jobs. */
export type ChangedTable =
  | "key"
  | "history"
  | "pause"
  | "schedule"
  | "tick"
  | "signal"
  | "kept"
  | "note"
  | "memo"
  | "line"
  | "limit"
  | "limitKey"
  | "lane"
  | "token"
  | "release"
  | "released";

/** The table of a row and its key in it. A token is complete here, because it never changes. */
export type ChangedKey = readonly [table: ChangedTable, ...key: (string | number)[]];

export interface Changes {
  /** With "whole" also what most jobs never change after their start. */
  readonly jobs: Map<JobRow, "whole" | "state">;
  readonly others: ChangedKey[];
}

export function createChanges(): Changes {
  return { jobs: new Map(), others: [] };
}

export function hasChanges({ jobs, others }: Changes): boolean {
  return jobs.size > 0 || others.length > 0;
}

export function clearChanges({ jobs, others }: Changes): void {
  jobs.clear();
  others.length = 0;
}

/** Notes a change of a job. */
export function noteState({ jobs }: Changes, row: JobRow): void {
  if (!jobs.has(row)) jobs.set(row, "state");
}
