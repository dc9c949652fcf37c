import type { StateArea } from "./area-names.ts";
import type { Planting } from "./planting.ts";
import type { StateAdapter } from "chainwright/adapter";

/**
 * A fresh, migrated, empty store for one case.
 *
 * @example
 * import type { PoolClient } from "pg";
 *
 * async function createBackend(): Promise<StateBackend<PoolClient>> {
 *   const schema = `test_${crypto.randomUUID().replaceAll("-", "")}`; // a store of its own for every case
 *   const connect = async () => createPostgresStateAdapter({ driver: pg(pool), schema });
 *   const adapter = await connect();
 *   await adapter.migrate();
 *   return { adapter, connect, close: async () => void (await pool.query(`drop schema ${schema} cascade`)) };
 * }
 */
export interface StateBackend<Tx = unknown> {
  readonly adapter: StateAdapter<Tx>;
  /**
   * Another adapter on the same store, with connections of its own, as another process would have; the suite closes it.
   * Left out: the same adapter serves, for stores that live in one process.
   */
  connect?(): Promise<StateAdapter<Tx>>;
  /** A table of the user beside the library's tables; see `without` for stores without tables. */
  readonly userTable?: UserTable<Tx> | undefined;
  /** Puts faults into the store; see `without` for stores that cannot do this. */
  readonly planting?: Planting | undefined;
  /** Releases the store. The suite has already closed the adapters. */
  close(): Promise<void>;
}

/**
 * A user's own table, written with the user's own client. Writes insert rows and overwrite nothing.
 *
 * @example
 * import type { PoolClient } from "pg";
 *
 * const table: UserTable<PoolClient> = {
 *   write: async (tx, key, value) => void (await tx.query("insert into own (key, value) values ($1, $2)", [key, value])),
 *   read: async (key) => {
 *     const { rows } = await pool.query<{ value: string }>("select value from own where key = $1", [key]);
 *     return rows.map(({ value }) => value);
 *   },
 * };
 */
export interface UserTable<Tx = unknown> {
  /** Inserts a row in the given transaction. */
  write(tx: Tx, key: string, value: string): Promise<void>;
  /** The committed values under a key, outside any transaction, in any order. */
  read(key: string): Promise<readonly string[]>;
}

/**
 * What some rules need beyond the port. `rowLocks`: transactions that are open at the same time and lock rows, not the store.
 * `faults`: a door through which the suite puts faults into a store. `awaited`: `noteAwaited`, `history`: `readHistory`, `listLostWorkers` and `groupFailures`, which a store may leave out.
 *
 * @example
 * const without: Partial<Record<StateNeed, string>> = { unmigrated: "it has no schema to create" };
 */
export type StateNeed = "userTable" | "unmigrated" | "rowLocks" | "faults" | "awaited" | "history";

/**
 * What `stateConformance` takes.
 *
 * @example
 * const onMemory: StateConformanceOptions = {
 *   createAdapter: async () => ({ adapter: createInProcessStateAdapter(), close: async () => {} }),
 *   without: { userTable: "it has no tables", unmigrated: "it has nothing to migrate", rowLocks: "it has one writer" },
 * };
 * const skipped = stateConformance(onMemory).filter((each) => each.skipped !== undefined);
 */
export interface StateConformanceOptions<Tx = unknown> {
  /** Only these parts of the suite: an author implements one after the other. Left out: all. */
  readonly areas?: readonly StateArea[] | undefined;
  /** Called once per case. */
  readonly createAdapter: () => Promise<StateBackend<Tx>>;
  /** The same before `migrate` has run, for the rules about migration. */
  readonly createUnmigrated?: (() => Promise<StateBackend<Tx>>) | undefined;
  /** What this backend does not offer, and why: its cases are listed as skipped for that reason. */
  readonly without?: Readonly<Partial<Record<StateNeed, string>>> | undefined;
}
