import { ChainwrightError } from "chainwright";
import type { PostgresDriver } from "./driver.ts";
import type { PostgresNotifyDriver } from "./notify/driver.ts";
import { ormDriver } from "./orms/orm-driver.ts";

/**
 * How another library on the same database opens transactions and runs SQL in them.
 *
 * @example
 * import type { Knex } from "knex";
 *
 * const inKnex = (knex: Knex): PostgresTransactions<Knex.Transaction> => ({
 *   begin: (run) => knex.transaction(run, { isolationLevel: "read committed" }),
 *   query: async (tx, text, parameters) => {
 *     const connection = await tx.client.acquireConnection();
 *     return (await connection.query({ text, values: parameters })).rows;
 *   },
 * });
 */
export interface PostgresTransactions<Tx> {
  /**
   * Runs the callback in a transaction of that library, read committed: commits when it resolves, rolls back and rejects
   * with the same error when it rejects.
   */
  begin<T>(run: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * Runs a statement with `$1`, `$2`... inside a transaction. Returns its rows, as arrays or as objects whose properties are in the
   * order of the columns.
   */
  query(tx: Tx, text: string, parameters: (string | null)[]): PromiseLike<readonly object[]>;
}

/**
 * Makes the transactions of an ORM or query builder the `tx` everywhere: that library opens the transactions that
 * `client.transaction` and handlers get, and a transaction that the application opened itself can be passed as `tx`. Calls without
 * `tx` go through the driver, which must be connected to the same database.
 *
 * A transaction in which a statement failed cannot commit, and not every library reports that. One more round trip before the
 * commit finds it out.
 *
 * @example
 * import { CompiledQuery, type Transaction } from "kysely";
 *
 * const driver = withTransactions<Transaction<unknown>>(pg(pool), {
 *   begin: (run) => kysely.transaction().setIsolationLevel("read committed").execute(run),
 *   query: async (tx, text, parameters) => (await tx.executeQuery<object>(CompiledQuery.raw(text, parameters))).rows,
 * });
 * const stateAdapter = createPostgresStateAdapter({ driver });
 */
export function withTransactions<Tx>(
  driver: PostgresDriver & PostgresNotifyDriver,
  transactions: PostgresTransactions<Tx>,
): PostgresDriver<Tx> & PostgresNotifyDriver<Tx>;
export function withTransactions<Tx>(
  driver: PostgresDriver,
  transactions: PostgresTransactions<Tx>,
): PostgresDriver<Tx>;
export function withTransactions<Tx>(
  driver: PostgresDriver & Partial<PostgresNotifyDriver>,
  { begin, query }: PostgresTransactions<Tx>,
): PostgresDriver<Tx> & Partial<PostgresNotifyDriver<Tx>> {
  const onTransactions = ormDriver<Tx>(driver, {
    begin,
    send: async (tx, { text, parameters }) => {
      const rows: unknown = await query(tx, text, [...parameters]);
      return rowsOf(rows).map((row): readonly unknown[] => (Array.isArray(row) ? row : Object.values(row)));
    },
  });
  const { listen } = driver;
  return listen === undefined ? onTransactions : { ...onTransactions, listen };
}

/** Some libraries return the rows, others an object that contains them. */
function rowsOf(returned: unknown): readonly object[] {
  if (isList(returned)) return returned;
  const got = returned === null ? "null" : typeof returned;
  const hint = isObjectWithRows(returned)
    ? "return its `rows`"
    : "return the result itself if it is the array of rows, not a property of it";
  throw new ChainwrightError(
    "invalid-input",
    `query of withTransactions must return the rows of the statement as an array; got ${got}: ${hint}`,
  );
}

function isList(returned: unknown): returned is readonly object[] {
  return Array.isArray(returned);
}

function isObjectWithRows(returned: unknown): boolean {
  return typeof returned === "object" && returned !== null && "rows" in returned;
}
