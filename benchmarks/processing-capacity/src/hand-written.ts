/**
 * A queue that does the work of the library and nothing else, written by hand in plain SQL: a job has a UUID, a type, a priority, a due
 * time, a lease and an attempt; it is claimed by an index in the order of priority and due time; its end is fenced by the lease and
 * moves it to a history with its result and its times.
 */
export interface HandWritten {
  /** Writes one job and commits. */
  insertOne(payload: string): Promise<void>;
  /** Writes a hundred jobs in one statement or transaction. */
  insertHundred(payload: string): Promise<void>;
  /** Ends the jobs claimed before and claims a hundred, in one statement or transaction. Returns how many it claimed. */
  exchangeHundred(): Promise<number>;
  /** So many times: claims one job, and ends it in a transaction of its own; on ten connections where there are connections. */
  claimAndSettle(count: number): Promise<void>;
}

export const worker = "worker 1";
export const result = JSON.stringify({ done: true });
export const leaseMs = 30_000;

export interface Claimed {
  readonly id: string;
  readonly payload: unknown;
}
