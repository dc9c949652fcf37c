import { ChainwrightError } from "chainwright";
import type { MigrateOptions, SchemaState } from "chainwright/adapter";
import { createLimit } from "@chainwright/sql-transactions";
import { createClaimStart } from "./claim-start.ts";
import type { PostgresDriver, PostgresQuery, PostgresRow } from "./driver.ts";
import { storeError } from "./errors.ts";
import { migrate } from "./migrate.ts";
import { startOneText } from "./operations/start-one.ts";
import { createRunAlone, runInside } from "./run-statement.ts";
import { schemaState } from "./present-schema.ts";
import type { Schema } from "./schema.ts";
import type { Store } from "./store.ts";
import { createUsableSchema } from "./usable-schema.ts";
import { createTransactionHandles, type TransactionHandles } from "./transaction-handles.ts";

export interface Connection<Tx> extends Store<Tx> {
  transaction<T>(run: (tx: Tx) => Promise<T>): Promise<T>;
  /** The same with a limit of its own. */
  transactionWithin<T>(limitMs: number, run: (tx: Tx) => Promise<T>): Promise<T>;
  migrate(options?: MigrateOptions): Promise<readonly string[]>;
  schemaState(): Promise<SchemaState>;
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
  const runAlone = createRunAlone(driver, callLimitMs);
  const usable = createUsableSchema(schema);
  const background = new Set<Promise<void>>();
  let closing: Promise<void> | undefined;

  const checkOpen = (): void => {
    if (closing !== undefined) throw new ChainwrightError("closed", "the state adapter is closed");
  };

  const own = async <T>(run: () => Promise<T>): Promise<T> => {
    checkOpen();
    try {
      return await run();
    } catch (error) {
      throw storeError(error);
    }
  };

  const send = (tx: Tx | undefined, statement: PostgresQuery): Promise<readonly PostgresRow[]> =>
    tx === undefined ? own(() => runAlone(statement)) : runInside(driver, handles, tx, statement);

  const begin = async <T>(transactionTimeoutMs: number, callback: (tx: Tx) => Promise<T>): Promise<T> => {
    checkOpen();
    return transact(driver, handles, callback, { transactionTimeoutMs, callLimitMs });
  };

  return {
    schema,
    claimStart: createClaimStart(),
    startOneText: startOneText(schema),
    handles,
    run: (tx, statement) =>
      usable.isKnown() ? send(tx, statement) : usable.check((first) => send(tx, first)).then(() => send(tx, statement)),
    transaction: (callback) => begin(limits.transactionTimeoutMs, callback),
    transactionWithin: async (limitMs, callback) => {
      // Its first statement may be one that has to be the first.
      if (!usable.isKnown()) await usable.check((first) => send(undefined, first));
      return begin(limitMs, callback);
    },
    migrate: async (options = {}) => {
      const statements = await own(() => migrate(driver, schema, options));
      if (options.dryRun !== true) usable.migrated();
      return statements;
    },
    schemaState: () =>
      own(() => schemaState((text, ...parameters) => runAlone({ text, parameters, prepare: false }), schema)),
    inBackground: (work) => {
      background.add(work);
      void work.finally(() => background.delete(work));
    },
    close: () => (closing ??= Promise.all(background).then(() => driver.close())),
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
