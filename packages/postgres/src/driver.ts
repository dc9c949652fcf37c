/**
 * One statement. All parameters are texts, whatever their SQL types are, so that the encoding of the client does not matter.
 *
 * @example
 * const mails: PostgresQuery = {
 *   text: "select id from chainwright.job where type_name = $1 limit $2::int",
 *   parameters: ["mail.send", "10"], // numbers are texts too
 *   prepare: true,
 * };
 * const rows = await driver.query(mails, undefined);
 */
export interface PostgresQuery {
  readonly text: string;
  readonly parameters: readonly (string | null)[];
  /** Whether the same text is sent often, so that preparing it once per connection pays off. */
  readonly prepare: boolean;
}

/**
 * The values of a row in the order of its columns, as the client decodes them. Texts must be returned unchanged.
 *
 * @example
 * const idOf = ([id]: PostgresRow) => String(id);
 * const rows = await driver.query({ text: "select id from orders", parameters: [], prepare: false }, undefined);
 * console.log(rows.map(idOf));
 */
export type PostgresRow = readonly unknown[];

/**
 * What the adapter needs from a client library. `Tx` is what that library passes to a transaction, and what users pass as `tx`.
 *
 * Test a driver for another client with `stateConformance` from `@chainwright/conformance`.
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
   * Runs one statement: inside `tx` if given, otherwise by itself on any connection. By itself it is a transaction, so the call
   * rejects if its commit may not have been replicated as the server is configured to.
   *
   * @param limitMs Without `tx`: after so many milliseconds the call rejects, and its connection is closed or the running statement
   * is cancelled. Unset: there is no limit.
   */
  query(query: PostgresQuery, tx: Tx | undefined, limitMs?: number): Promise<readonly PostgresRow[]>;
  /**
   * Runs `run` in a read committed transaction: commits when it resolves, rolls back and rethrows when it rejects. Rejects if the
   * transaction could not commit, or if the commit may not have been replicated as the server is configured to. A connection on
   * which any of this failed is not used again, and the driver does not wait for one that does not respond. Each transaction
   * has its own `tx`, which no later transaction has.
   *
   * @param limitMs How long the begin and the commit may each take, in milliseconds. Unset: there is no limit.
   */
  transaction<T>(run: (tx: Tx) => Promise<T>, limitMs?: number): Promise<T>;
  /** How many connections it can have open at once; undefined if that is not known. */
  readonly connections?: number | undefined;
  /** See `StateAdapter`. Set only if every call waits for an open transaction to end. */
  insideTransaction?(): boolean;
  /** Closes what the driver itself has opened. */
  close(): Promise<void>;
}
