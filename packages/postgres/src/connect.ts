import { createLimit } from "@chainwright/sql-transactions";
import { ChainwrightError, isChainwrightError } from "chainwright";
import type { PostgresDriver, PostgresQuery, PostgresRow } from "./driver.ts";
import { within } from "./drivers/time-limit.ts";
import { noAnswer, sqlStateOf, storeError } from "./errors.ts";
import { isolationState } from "./sql-function.ts";
import { createFront } from "./claim-start.ts";
import { createHandles } from "./transaction-handles.ts";
import type { Handles } from "./transaction-handles.ts";
import { migrate } from "./migrate.ts";
import type { Schema } from "./schema.ts";
import type { Store } from "./store.ts";

export interface Connection<Tx> extends Store<Tx> {
  transaction<T>(run: (tx: Tx) => Promise<T>): Promise<T>;
  /** The same, with a limit of its own. */
  transactionWithin<T>(limitMs: number, run: (tx: Tx) => Promise<T>): Promise<T>;
  migrate(options?: { readonly dryRun?: boolean | undefined }): Promise<readonly string[]>;
  close(): Promise<void>;
}

export interface Limits {
  /** How long the callback of a transaction may run. */
  readonly transactionTimeoutMs: number;
  /** How long a call by itself may take, the beginning of a transaction, and a commit. */
  readonly callLimitMs: number;
}

/** Puts between operations and a driver what all calls have in common: closing, error codes, limits, the isolation level. */
export function connect<Tx>(driver: PostgresDriver<Tx>, schema: Schema, limits: Limits): Connection<Tx> {
  const { callLimitMs } = limits;
  const handles = createHandles();
  let closing: Promise<void> | undefined;
  // Learnt from the first call that finds another default than read committed: from then on a call of its own costs a
  // transaction's three round trips instead of one.
  let needsTransaction = false;

  const own = async <T>(run: () => Promise<T>): Promise<T> => {
    if (closing !== undefined) throw new ChainwrightError("closed", "the state adapter is closed");
    try {
      return await run();
    } catch (error) {
      throw storeError(error);
    }
  };

  // What the store says belongs to the caller, whose transaction it is; but that something is not there is told in words
  // that help.
  const inGiven = async (tx: Tx, query: PostgresQuery): Promise<readonly PostgresRow[]> => {
    try {
      handles.check(tx);
      return await driver.query(query, tx);
    } catch (error) {
      const told = storeError(error);
      throw isChainwrightError(told, "not-migrated") ? told : error;
    }
  };

  const run: Store<Tx>["run"] = (tx, statement) => {
    if (tx !== undefined) return inGiven(tx, statement);
    const limit = { limitMs: callLimitMs, giveUp: () => noAnswer(callLimitMs) };
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
    front: createFront(),
    handles,
    run,
    transaction: (callback) => transactionWithin(limits.transactionTimeoutMs, callback),
    transactionWithin,
    migrate: (options = {}) => own(() => migrate(driver, schema, options)),
    close: () => (closing ??= driver.close()),
  };
}

/** What the callback throws is thrown on as it is; what else goes wrong is an error of the store. */
async function transact<Tx, T>(
  driver: PostgresDriver<Tx>,
  handles: Handles,
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
