/**
 * One statement. Parameters are texts, whatever their types in SQL, so that no client's own encoding gets a say.
 *
 * @example
 * const mails: PostgresQuery = {
 *   text: "select id from chainwright.job where type_name = $1 limit $2::int",
 *   parameters: ["mail.send", "10"], // texts, also where a number is meant
 *   prepare: true,
 * };
 * const rows = await driver.query(mails, undefined);
 */
export interface PostgresQuery {
  readonly text: string;
  readonly parameters: readonly (string | null)[];
  /** Whether the same text comes again and again, so that it pays to prepare it once a connection. */
  readonly prepare: boolean;
}

/**
 * The values of a row in the order of its columns, as the client decodes them; texts have to come as they are.
 *
 * @example
 * const idOf = ([id]: PostgresRow) => String(id);
 * const rows = await driver.query({ text: "select id from orders", parameters: [], prepare: false }, undefined);
 * console.log(rows.map(idOf));
 */
export type PostgresRow = readonly unknown[];

/**
 * The seam to a client library. `Tx` is what that library hands to a transaction, and what users pass as `tx`.
 *
 * A driver for another client proves itself with `stateConformance` from `@chainwright/conformance`.
 *
 * @example
 * function logged<Tx>(driver: PostgresDriver<Tx>): PostgresDriver<Tx> {
 *   return {
 *     ...driver,
 *     query: (query, tx) => {
 *       logger.info(query.text);
 *       return driver.query(query, tx);
 *     },
 *   };
 * }
 * const stateAdapter = createPostgresStateAdapter({ driver: logged(pg(pool)) });
 */
export interface PostgresDriver<Tx = unknown> {
  /**
   * Runs one statement: inside `tx` if given, else by itself on any connection. By itself it is a transaction: the call rejects
   * if its commit may not have been replicated as the server was asked to.
   *
   * @param limitMs Without `tx`: after so many milliseconds the call rejects, and its connection is closed or what runs on it
   * cancelled. Left out: there is no limit.
   */
  query(query: PostgresQuery, tx: Tx | undefined, limitMs?: number): Promise<readonly PostgresRow[]>;
  /**
   * Runs `run` in a read committed transaction: commits when it resolves, rolls back and rethrows when it rejects. Rejects
   * if the transaction could not commit, or if the commit may not have been replicated as the server was asked to. A
   * connection on which something of this went wrong is not used again, and one that does not answer is not waited for.
   * Each transaction has a `tx` of its own, which no later transaction has.
   *
   * @param limitMs How long the beginning and the commit may each take, in milliseconds. Left out: there is no limit.
   */
  transaction<T>(run: (tx: Tx) => Promise<T>, limitMs?: number): Promise<T>;
  /** How many connections it can have open at once. Undefined: it is not known. */
  readonly connections?: number | undefined;
  /** See `StateAdapter`: only where everybody waits for an open transaction to end. */
  insideTransaction?(): boolean;
  /** Lets go of what the driver itself opened. */
  close(): Promise<void>;
}
