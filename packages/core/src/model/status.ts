/** Where a job stands. `ready`, `scheduled`, `blocked` wait; `running` is leased to a worker; the rest have ended. */
export type JobStatus = "blocked" | "scheduled" | "ready" | "running" | "completed" | "failed" | "cancelled";

export const allJobStatuses: readonly JobStatus[] = [
  "blocked",
  "scheduled",
  "ready",
  "running",
  "completed",
  "failed",
  "cancelled",
];

/** Where a chain stands. `failed` and `cancelled` become `active` again by `retryChain`. */
export type ChainStatus = "active" | "completed" | "failed" | "cancelled";

/** What becomes of a blocked job when a blocker fails or is cancelled: it fails too, or waits for a retry. */
export type OnBlockerFailure = "fail" | "wait";

/** How long a deduplication key holds: while its chain is active, or whatever became of it. */
export type DeduplicationScope = "active" | "any";
