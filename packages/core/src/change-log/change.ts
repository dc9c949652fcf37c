import type { ChangedTable } from "../in-process/changes.ts";

/**
 * A change of one row: JSON values only. `["job", id, place, state]` writes a job, `["state", id, state]` what changes while it runs, and
 * `["job", id]` deletes it. Of another table `[table, ...key, value]` writes a row, and `[table, ...key]` deletes it. A later change of a
 * row replaces an earlier one, so that a change may be applied again.
 *
 * @example
 * const deletion: Change = ["job", "0190a1c2-0000-7000-8000-000000000000"];
 */
export type Change = readonly [table: ChangedTable | "job" | "state", ...rest: unknown[]];

/** How many parts the key of a row has. */
export const keyParts: Readonly<Record<ChangedTable, number>> = {
  key: 1,
  history: 3,
  pause: 1,
  schedule: 1,
  tick: 2,
  signal: 2,
  kept: 1,
  note: 1,
  memo: 2,
  line: 2,
  limit: 1,
  limitKey: 2,
  lane: 2,
  token: 3,
  release: 1,
  released: 1,
};
