import { isChainwrightError } from "chainwright";
import type { PostgresDriver, PostgresQuery, PostgresRow } from "./driver.ts";
import { within } from "./drivers/time-limit.ts";
import { noReply, sqlStateOf, storeError } from "./errors.ts";
import { isolationState } from "./sql-function.ts";
import type { TransactionHandles } from "./transaction-handles.ts";

/**
 * Returns a function that sends a statement by itself, at read committed. A statement that reports another isolation level is sent
 * again in an explicit transaction.
 */
export function createRunAlone<Tx>(
  driver: PostgresDriver<Tx>,
  limitMs: number,
): (statement: PostgresQuery) => Promise<readonly PostgresRow[]> {
  // Set by the first statement that finds another default than read committed. From then on each takes the three round trips of a
  // transaction instead of one.
  let needsTransaction = false;

  const inTransaction = (statement: PostgresQuery): Promise<readonly PostgresRow[]> =>
    driver.transaction(
      (tx) => within(driver.query(statement, tx), { limitMs, giveUp: () => noReply(limitMs) }),
      limitMs,
    );

  return async (statement) => {
    if (needsTransaction) return inTransaction(statement);
    try {
      return await driver.query(statement, undefined, limitMs);
    } catch (error) {
      if (sqlStateOf(error) !== isolationState) throw error;
      needsTransaction = true;
      return inTransaction(statement);
    }
  };
}

/**
 * Sends a statement inside a transaction of the application. Its errors are passed on unchanged, except that a missing schema gets a
 * message that says what to do.
 */
export async function runInside<Tx>(
  driver: PostgresDriver<Tx>,
  handles: TransactionHandles,
  tx: Tx,
  statement: PostgresQuery,
): Promise<readonly PostgresRow[]> {
  try {
    handles.check(tx);
    return await driver.query(statement, tx);
  } catch (error) {
    const described = storeError(error);
    throw isChainwrightError(described, "not-migrated") ? described : error;
  }
}
