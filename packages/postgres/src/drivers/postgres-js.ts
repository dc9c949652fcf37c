/**
 * The driver for postgres.js.
 *
 * @module
 */
import type { PostgresDriver, PostgresQuery, PostgresRow } from "../driver.ts";
import type { PostgresNotifyDriver } from "../notify/driver.ts";
import { listenWithPostgresJs } from "../notify/listen-postgres-js.ts";
import type { PostgresJsSource } from "../notify/listen-postgres-js.ts";
import { createPreparing } from "./prepared.ts";

/** What the driver uses of `sql`, alone and inside a transaction. */
interface PostgresJsQueryable {
  unsafe(text: string, parameters?: (string | null)[], options?: { readonly prepare?: boolean }): PostgresJsPending;
}

interface PostgresJsPending {
  values(): PromiseLike<unknown[][]>;
}

/** What the driver uses of the `sql` of postgres.js. */
interface PostgresJsSql<TransactionSql extends PostgresJsQueryable> extends PostgresJsQueryable, PostgresJsSource {
  begin(options: string, run: (sql: TransactionSql) => Promise<unknown>): Promise<unknown>;
}

/**
 * Drives Postgres through postgres.js; the `sql` stays the application's: it ends it. A pool of one connection suffices, as
 * long as nothing inside a transaction's callback waits for a call without its `tx`. Behind a pooler in transaction mode that
 * does not keep track of prepared statements, `sql` needs its option `prepare: false`.
 *
 * @example
 * import postgres from "postgres";
 *
 * const stateAdapter = createPostgresStateAdapter({ driver: postgresJs(postgres(connectionString)) });
 */
export function postgresJs<TransactionSql extends PostgresJsQueryable>(
  sql: PostgresJsSql<TransactionSql>,
): PostgresDriver<TransactionSql> & PostgresNotifyDriver<TransactionSql> {
  // Unless its own option `prepare` is false: then postgres.js prepares nothing, whatever is asked for here.
  const preparing = createPreparing(true);

  const send = async (on: PostgresJsQueryable, query: PostgresQuery): Promise<readonly PostgresRow[]> =>
    on.unsafe(query.text, [...query.parameters], { prepare: query.prepare && preparing.wanted }).values();

  return {
    query: (query, tx) =>
      tx === undefined
        ? preparing.guard(
            () => send(sql, query),
            () => send(sql, query),
          )
        : preparing.guard(() => send(tx, query), undefined),

    transaction: async <T>(run: (tx: TransactionSql) => Promise<T>): Promise<T> => {
      // What postgres.js passes on is typed for callbacks that answer arrays of queries.
      const result: { value?: { readonly of: T } } = {};
      const connection = { isGone: false };
      const begun = sql.begin("isolation level read committed", async (tx) => {
        try {
          result.value = { of: await run(whileThere(tx, connection)) };
        } catch (error) {
          await closingIsHeard();
          if (!connection.isGone) throw error;
        }
        // On a connection that is gone, postgres.js would commit or roll back all the same, and end the process with that.
        if (connection.isGone) await new Promise<never>(() => undefined);
      });
      try {
        await begun;
      } catch (error) {
        connection.isGone = true;
        throw error;
      }
      if (result.value === undefined) throw new Error("the transaction's callback was not run");
      return result.value.of;
    },

    listen: (listening, signal) => listenWithPostgresJs(sql, listening, signal),

    close: async () => {},
  };
}

/** A socket that failed is closed at the end of the same turn of the event loop. */
async function closingIsHeard(): Promise<void> {
  for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** The same handle; it refuses once its connection is gone, for postgres.js would write to it and end the process with that. */
function whileThere<Handle extends object>(handle: Handle, connection: { readonly isGone: boolean }): Handle {
  const there = (): void => {
    if (connection.isGone) throw new Error("the connection of the transaction is gone");
  };
  return new Proxy(handle, {
    get: (target, name) => {
      there();
      return Reflect.get(target, name) as unknown;
    },
    apply: (target, self, parameters) => {
      there();
      return Reflect.apply(target as () => unknown, self, parameters) as unknown;
    },
  });
}
