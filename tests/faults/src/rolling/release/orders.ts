import type { ReleaseName, RollingPlace } from "./place.ts";

/** What a process of the test is told. */
export interface RollingOrders {
  readonly place: RollingPlace;
  readonly release: ReleaseName;
  /** Where it writes down what it saw. */
  readonly journal: string;
  readonly connections: number;
  /** Workers of a worker process, and the slots of each. */
  readonly workers: number;
  readonly slots: number;
  readonly leaseMs: number;
  /** How long a handler takes at most. */
  readonly delayMs: number;
  /** Chains that a starter process starts in a second, while fewer than `backlog` jobs are open. */
  readonly rate: number;
  readonly backlog: number;
  /** Different deduplication keys of all starters. */
  readonly keys: number;
}
