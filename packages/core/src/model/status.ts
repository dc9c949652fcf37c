/** The status of a job. `ready`, `scheduled`, `blocked` and `waiting` (for signals) wait; `running` is leased to a worker; the rest have ended. */
export type JobStatus =
  | "blocked"
  | "waiting"
  | "scheduled"
  | "ready"
  | "running"
  | "completed"
  | "failed"
  | "cancelled";

export const allJobStatuses: readonly JobStatus[] = [
  "blocked",
  "waiting",
  "scheduled",
  "ready",
  "running",
  "completed",
  "failed",
  "cancelled",
];

/**
 * The statuses of a job that has not ended. A store can ask for such jobs together.
 *
 * @example
 * openJobStatuses.includes("waiting"); // true
 * openJobStatuses.includes("failed"); // false
 */
export const openJobStatuses: readonly JobStatus[] = ["blocked", "waiting", "scheduled", "ready", "running"];

/** The status of a chain. `failed` and `cancelled` become `active` again by `retryChain`. */
export type ChainStatus = "active" | "completed" | "failed" | "cancelled";

/** Whether a blocked job fails when a blocker fails or is cancelled, or waits for the blocker's retry. */
export type OnBlockerFailure = "fail" | "wait";

/** How long a deduplication key holds: while its chain is active, or in any case. */
export type DeduplicationScope = "active" | "any";
