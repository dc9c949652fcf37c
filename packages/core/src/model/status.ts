/**
 * Where a job stands. `ready`, `scheduled`, `blocked` wait; `running` is leased to a worker; the rest have ended.
 *
 * @example
 * const waiting: readonly JobStatus[] = ["ready", "scheduled", "blocked"];
 * const { items } = await client.listJobs({ status: waiting, limit: 20 });
 */
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

/**
 * Where a chain stands. `failed` and `cancelled` become `active` again by `retryChain`.
 *
 * @example
 * const marks: Record<ChainStatus, string> = { active: "...", completed: "ok", failed: "failed", cancelled: "given up" };
 * const found = await client.getChain({ id });
 * if (found !== undefined) console.log(marks[found.status]);
 */
export type ChainStatus = "active" | "completed" | "failed" | "cancelled";

/**
 * What becomes of a blocked job when a blocker fails or is cancelled: it fails too, or waits for a retry.
 *
 * @example
 * const onBlockerFailure: OnBlockerFailure = "wait"; // until somebody retries the blocker
 * const input = { orderId, cents: 4_200 };
 * await client.startChain({ typeName: "order.charge", input, blockers: [], onBlockerFailure });
 */
export type OnBlockerFailure = "fail" | "wait";

/**
 * How long a deduplication key holds: while its chain is active, or whatever became of it.
 *
 * @example
 * const scope: DeduplicationScope = "any"; // one an hour, even if the first has been sent by then
 * const deduplication = { key: `welcome ${to}`, scope, windowMs: 3_600_000 };
 * await client.startChain({ typeName: "mail.send", input: { to }, deduplication });
 */
export type DeduplicationScope = "active" | "any";
