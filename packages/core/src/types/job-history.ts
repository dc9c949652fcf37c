/**
 * Options of `client.jobHistory`.
 *
 * @example
 * const options: JobHistoryOptions = { over: "day", typeName: "order.charge" };
 * const { points } = await client.jobHistory(options);
 */
export interface JobHistoryOptions {
  /** The last hour, minute by minute (default), or the last 24 hours, in steps of ten minutes. */
  readonly over?: "hour" | "day" | undefined;
  /** Default: all types together. */
  readonly typeName?: string | undefined;
}

/** What workers did, the oldest first. */
export interface JobHistory {
  /** The length of time of each point, in milliseconds. */
  readonly everyMs: number;
  /** Empty if the store keeps no history. The newest is not over. */
  readonly points: readonly HistoryPoint[];
}

/** What workers did from one moment on, for `everyMs` milliseconds. */
export interface HistoryPoint {
  readonly at: Date;
  /** Attempts that completed their job, or continued its chain. */
  readonly completed: number;
  /** Attempts after which their job was failed. */
  readonly failed: number;
  /** Attempts that failed, and after which their job waits for another one. */
  readonly retried: number;
  /** The longest time that a claimed job had been ready, in milliseconds; 0 if none was claimed. */
  readonly longestWaitMs: number;
  /** Run times of the attempts, estimated from counts by powers of two. Undefined: none ended. */
  readonly p50Ms: number | undefined;
  readonly p95Ms: number | undefined;
}
