import { createLimit } from "@chainwright/sql-transactions";
import { ChainwrightError, isChainwrightError } from "chainwright";
import type { PostgresDriver, PostgresQuery, PostgresRow } from "./driver.ts";
import { within } from "./drivers/time-limit.ts";
import { noReply, sqlStateOf, storeError } from "./errors.ts";
import { isolationState } from "./sql-function.ts";
import { createClaimStart } from "./claim-start.ts";
import { createTransactionHandles, type TransactionHandles } from "./transaction-handles.ts";
import { migrate } from "./migrate.ts";
import { startOneText } from "./operations/start-one.ts";
import type { Schema } from "./schema.ts";
import type { Store } from "./store.ts";

export interface Connection<Tx> extends Store<Tx> {
  transaction<T>(run: (tx: Tx) => Promise<T>): Promise<T>;
  /** The same with a limit of its own. */
  transactionWithin<T>(limitMs: number, run: (tx: Tx) => Promise<T>): Promise<T>;
  migrate(options?: { readonly dryRun?: boolean | undefined }): Promise<readonly string[]>;
  close(): Promise<void>;
}

export interface Limits {
  /** How long the callback of a transaction may run. */
  readonly transactionTimeoutMs: number;
  /** How long a call by itself may take, and the begin and the commit of a transaction. */
  readonly callLimitMs: number;
}

/** Adds to a driver what all operations need: closing, error codes, limits, the isolation level. */
export function connect<Tx>(driver: PostgresDriver<Tx>, schema: Schema, limits: Limits): Connection<Tx> {
  const { callLimitMs } = limits;
  const handles = createTransactionHandles();
  let closing: Promise<void> | undefined;
  // Set by the first call that finds another default than read committed. From then on a call by itself takes the three round
  // trips of a transaction instead of one.
  let needsTransaction = false;

  const own = async <T>(run: () => Promise<T>): Promise<T> => {
    if (closing !== undefined) throw new ChainwrightError("closed", "the state adapter is closed");
    try {
      return await run();
    } catch (error) {
      throw storeError(error);
    }
  };

  // Inside a transaction of the application its errors are passed on unchanged, except that a missing schema gets a message that
  // says what to do.
  const inGiven = async (tx: Tx, query: PostgresQuery): Promise<readonly PostgresRow[]> => {
    try {
      handles.check(tx);
      return await driver.query(query, tx);
    } catch (error) {
      const described = storeError(error);
      throw isChainwrightError(described, "not-migrated") ? described : error;
    }
  };

  const run: Store<Tx>["run"] = (tx, statement) => {
    if (tx !== undefined) return inGiven(tx, statement);
    const limit = { limitMs: callLimitMs, giveUp: () => noReply(callLimitMs) };
    const inTransaction = () =>
      driver.transaction((given) => within(driver.query(statement, given), limit), callLimitMs);
    return own(async () => {
      if (needsTransaction) return inTransaction();
      try {
        return await driver.query(statement, undefined, callLimitMs);
      } catch (error) {
        if (sqlStateOf(error) !== isolationState) throw error;
        needsTransaction = true;
        return inTransaction();
      }
    });
  };

  const transactionWithin: Connection<Tx>["transactionWithin"] = async (transactionTimeoutMs, callback) => {
    if (closing !== undefined) throw new ChainwrightError("closed", "the state adapter is closed");
    return transact(driver, handles, callback, { transactionTimeoutMs, callLimitMs });
  };

  return {
    schema,
    claimStart: createClaimStart(),
    startOneText: startOneText(schema),
    handles,
    run,
    transaction: (callback) => transactionWithin(limits.transactionTimeoutMs, callback),
    transactionWithin,
    migrate: (options = {}) => own(() => migrate(driver, schema, options)),
    close: () => (closing ??= driver.close()),
  };
}

/** Runs a transaction. Errors of the callback are passed on unchanged, all others become errors of the store. */
async function transact<Tx, T>(
  driver: PostgresDriver<Tx>,
  handles: TransactionHandles,
  callback: (tx: Tx) => Promise<T>,
  { transactionTimeoutMs, callLimitMs }: Limits,
): Promise<T> {
  let thrown: { readonly error: unknown } | undefined;
  const run = async (tx: Tx): Promise<T> => {
    handles.begin(tx);
    const limit = createLimit(transactionTimeoutMs, "it keeps a connection and its locks");
    try {
      return await Promise.race([callback(tx), limit.passed]);
    } catch (error) {
      thrown = { error };
      throw error;
    } finally {
      limit.clear();
      handles.end(tx);
    }
  };
  try {
    return await driver.transaction(run, callLimitMs);
  } catch (error) {
    throw thrown !== undefined && thrown.error === error ? error : storeError(error);
  }
}
