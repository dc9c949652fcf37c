/**
 * The values that SQLite stores and returns here. Integers stay far below 2^53, so numbers can hold them.
 *
 * @example
 * const place: readonly SqliteValue[] = ["A-1", 4_200, null]; // booleans are 0 and 1, moments are numbers
 */
export type SqliteValue = string | number | null;

/**
 * A prepared statement, like those of better-sqlite3 and node:sqlite. Parameters are positional.
 *
 * @example
 * const firstOf = (statement: SqliteStatement, id: string): unknown => statement.get(id);
 * const database = wrap(new MyDatabase("jobs.db"));
 * const order = firstOf(database.prepare("select * from orders where id = ?"), orderId);
 */
export interface SqliteStatement {
  run(...parameters: SqliteValue[]): SqliteRunResult;
  /** The first row as an object by column name, or undefined. */
  get(...parameters: SqliteValue[]): unknown;
  /** Every row. */
  all(...parameters: SqliteValue[]): unknown[];
}

/**
 * The result of a statement that writes.
 *
 * @example
 * const changedOne = ({ changes }: SqliteRunResult) => Number(changes) === 1;
 * const database = wrap(new MyDatabase("jobs.db"));
 * if (!changedOne(database.prepare("delete from orders where id = ?").run(orderId))) console.log("it was gone");
 */
export interface SqliteRunResult {
  readonly changes: number | bigint;
  readonly lastInsertRowid: number | bigint;
}

/**
 * One open connection.
 *
 * @example
 * import { DatabaseSync } from "node:sqlite";
 *
 * const open = (path: string): SqliteDatabase<DatabaseSync> => {
 *   const handle = new DatabaseSync(path);
 *   return {
 *     handle,
 *     get inTransaction() {
 *       return handle.isTransaction;
 *     },
 *     prepare: (sql) => handle.prepare(sql),
 *     exec: (sql) => handle.exec(sql),
 *     close: () => handle.close(),
 *   };
 * };
 */
export interface SqliteDatabase<Tx extends object> {
  /** The client library's own handle, which callbacks of `transaction` receive. */
  readonly handle: Tx;
  /** Whether a transaction is open on it, by the library or by the application. */
  readonly inTransaction: boolean;
  prepare(sql: string): SqliteStatement;
  exec(sql: string): void;
  /** Only ever called on a connection that the driver opened itself. */
  close(): void;
  /**
   * Switches SQLite's defensive mode, which refuses to write the schema itself. `migrate` switches it off and on again, on connections
   * that have it, to add columns. Left out: there `migrate` uses `alter table`, after which SQLite reads every row.
   */
  setDefensive?(isOn: boolean): void;
}

/**
 * The interface to a SQLite library. `betterSqlite3` and `nodeSqlite` implement it; test another implementation with
 * `@chainwright/conformance`. All calls are synchronous, like SQLite.
 *
 * @example
 * const driver: SqliteDriver<MyDatabase> = {
 *   openedByApplication: false,
 *   open: () => wrap(new MyDatabase("jobs.db")),
 *   openReader: () => wrap(new MyDatabase("jobs.db")),
 * };
 */
export interface SqliteDriver<Tx extends object> {
  /** True if the application created the handle: its settings are checked but not changed, and the adapter does not close it. */
  readonly openedByApplication: boolean;
  /** The connection that writes. Must wait at most a few milliseconds when the file is locked. */
  open(): SqliteDatabase<Tx>;
  /** A second connection for reads, so that they neither wait for writes nor see uncommitted ones; undefined if there is none. */
  openReader(): SqliteDatabase<Tx> | undefined;
  /**
   * Whether `tx` is a transaction that the application opened on its handle and that has not ended. Left out: `tx` must be the handle
   * itself.
   */
  isOpen?(tx: Tx): boolean;
}
