import type { StateAdapter } from "../../ports/state.ts";

/** A fresh, migrated, empty store for one case. */
export interface StateBackend<Tx = unknown> {
  readonly adapter: StateAdapter<Tx>;
  /**
   * Another adapter on the same store, with connections of its own, as another process would have; the suite closes it.
   * Left out: the same adapter serves, for stores that live in one process.
   */
  connect?(): Promise<StateAdapter<Tx>>;
  /** A table of the user's beside the library's; see `without` for stores that have none. */
  readonly userTable?: UserTable<Tx> | undefined;
  /** Lets go of the store. The suite has closed the adapters before. */
  close(): Promise<void>;
}

/** A user's own table, written with the user's own client. Rows add up: nothing is overwritten. */
export interface UserTable<Tx = unknown> {
  /** Inserts a row in the given transaction. */
  write(tx: Tx, key: string, value: string): Promise<void>;
  /** The committed values under a key, outside any transaction, in any order. */
  read(key: string): Promise<readonly string[]>;
}

/** What some rules need beyond the port. */
export type StateNeed = "userTable" | "unmigrated";

/** What `stateConformance` takes. */
export interface StateConformanceOptions<Tx = unknown> {
  /** Called once a case. */
  readonly createAdapter: () => Promise<StateBackend<Tx>>;
  /** The same, with `migrate` not yet run: for the rules about migration. */
  readonly createUnmigrated?: (() => Promise<StateBackend<Tx>>) | undefined;
  /** What this backend does not offer, and why: its cases are listed as skipped for that reason. */
  readonly without?: Readonly<Partial<Record<StateNeed, string>>> | undefined;
}
