import type { ChainwrightEvent } from "chainwright";

const job = { jobId: "job", chainId: "chain", typeName: "echo" };
const first = { jobId: "chain", chainId: "chain", typeName: "echo" };
const attempt = { ...job, workerId: "worker", attempt: 1 };
const error = { name: "TypeError", message: "payload-secret" };

/** Every event that a metric uses, in each of its forms. */
export const measured: readonly ChainwrightEvent[] = [
  { type: "job-started", cause: "start", ...first, status: "ready", dueInMs: undefined },
  { type: "job-started", cause: "continuation", ...job, status: "blocked", dueInMs: undefined },
  { type: "job-started", cause: "retry", ...job, status: "ready", dueInMs: undefined },
  { type: "job-claimed", ...attempt, waitedMs: 1_500, limits: ["smtp"] },
  { type: "attempt-ended", ...attempt, durationMs: 250, error: undefined },
  { type: "attempt-ended", ...attempt, durationMs: 250, error },
  { type: "job-retried", ...attempt, reason: "error", error, dueInMs: 10 },
  { type: "job-retried", ...attempt, reason: "rescheduled", error: undefined, dueInMs: 10 },
  { type: "job-failed", ...attempt, error },
  { type: "job-failed", ...job, error: undefined },
  {
    type: "input-unreadable",
    ...attempt,
    payload: "input",
    ofTypeName: "echo",
    version: 3,
    reason: "newer-version",
    error,
  },
  { type: "chain-debounced", ...job, by: "debounce", dueInMs: 2_000, announced: false },
  { type: "limit-opened", limit: "smtp", key: "key-secret", openMs: 60_000 },
  { type: "limit-closed", limit: "smtp", key: "key-secret" },
  { type: "lease-lost", ...attempt, reason: "cancelled" },
  { type: "log-lines-dropped", ...attempt, count: 7 },
  { type: "notes-written", workerId: "worker", memos: 2, checkpoints: 1, reports: 3, durationMs: 4 },
  { type: "exchanged", workerId: "worker", settled: 3, claimed: 5, durationMs: 4 },
  { type: "store-lost", workerId: "worker", error },
  { type: "notifications-lost", direction: "listening", forGood: false, error },
  { type: "upkeep-failed", workerId: "worker", chore: "retention", error },
];
