import type { Span } from "../rolling/evidence.ts";
import type { RollingPlace } from "../rolling/release/place.ts";

/** A store of the last release that is migrated under work. */
export interface MigratedStore {
  readonly place: RollingPlace;
  /** Adds a history of ended jobs, and open jobs that no worker takes. A store that has jobs gets none. */
  readonly fill: (sizes: Sizes) => Promise<void>;
  /** Where each table and index is in the files: one that is rewritten gets another place. */
  readonly layout: () => Promise<ReadonlySet<string>>;
  readonly watchLocks: () => Promise<LockWatch>;
  readonly close: () => Promise<void>;
}

export interface Sizes {
  readonly historyRows: number;
  readonly openRows: number;
  readonly log: (line: string) => void;
}

/** Locks under which no exchange can run, with the time for which each table had one. */
export interface LockWatch {
  /** Ends the watch. Returns a number of milliseconds for each table and mode. */
  readonly end: (migration: Span) => Promise<ReadonlyMap<string, number>>;
}

export interface StoreOptions {
  /** Keeps the data here, for the next run. */
  readonly dataDir: string | undefined;
  /** Whether the machine should give the store what a large one needs. */
  readonly isTimed: boolean;
}

/** Opens a store; its files are in the folder unless `dataDir` names another. */
export type OpenMigratedStore = (folder: string, options: StoreOptions) => Promise<MigratedStore>;

/** The history ends now and begins this long before. */
export const ageMs = 13 * 24 * 3_600_000;

/** Rows that one statement of the history inserts. */
export const rowsAtOnce = 250_000;

/** Says how far the history is, now and then. */
export function sayHow(done: number, { historyRows, log }: Omit<Sizes, "openRows">, began: number): void {
  if (done % 2_000_000 !== 0 && done !== historyRows) return;
  log(`${done} rows of history after ${Math.round((Date.now() - began) / 1_000)} s`);
}
