/**
 * The driver for postgres.js.
 *
 * @module
 */
import { lend, type Lent } from "@chainwright/sql-transactions";
import type { PostgresDriver, PostgresQuery, PostgresRow } from "../driver.ts";
import { isReadOnly, noReply, noConnection } from "../errors.ts";
import type { PostgresNotifyDriver } from "../notify/driver.ts";
import { listenWithPostgresJs, type PostgresJsSource } from "../notify/listen-postgres-js.ts";
import { aroundCallback, type AroundCallback } from "./around-callback.ts";
import { whileHearing } from "./postgres-js-notices.ts";
import { noteQueries, type NotedQueries, type PostgresJsQueryable } from "./postgres-js-queries.ts";
import { createPreparing } from "./prepared.ts";
import { within } from "./time-limit.ts";

export { hearNotices } from "./postgres-js-notices.ts";
export type { NoticeListener } from "./postgres-js-notices.ts";

/** What the driver uses of the `sql` of postgres.js. */
export interface PostgresJsSql<TransactionSql extends PostgresJsQueryable>
  extends PostgresJsQueryable, PostgresJsSource {
  readonly options: object & { readonly max?: number | undefined };
  begin(options: string, run: (sql: TransactionSql) => Promise<unknown>): Promise<unknown>;
}

/**
 * Uses Postgres through postgres.js. The application ends the `sql`. A pool of one connection is enough as long as nothing inside a
 * transaction's callback waits for a call without its `tx`. Behind a pooler in transaction mode that does not track prepared
 * statements, `sql` needs its option `prepare: false`; with synchronous replication it needs `onnotice`, see {@link hearNotices}.
 *
 * @example
 * import postgres from "postgres";
 *
 * const stateAdapter = createPostgresStateAdapter({ driver: postgresJs(postgres(connectionString)) });
 */
export function postgresJs<TransactionSql extends PostgresJsQueryable>(
  sql: PostgresJsSql<TransactionSql>,
): PostgresDriver<TransactionSql> & PostgresNotifyDriver<TransactionSql> {
  // If its own option `prepare` is false, postgres.js prepares nothing, whatever a query asks for.
  const preparing = createPreparing(true);

  const send = (on: PostgresJsQueryable, query: PostgresQuery) =>
    on.unsafe(query.text, [...query.parameters], { prepare: query.prepare && preparing.wanted }).values();

  const sendAlone = async (query: PostgresQuery, limitMs = Infinity): Promise<readonly PostgresRow[]> => {
    const queries = noteQueries();
    const sent = Promise.resolve(queries.note(send(sql, query)));
    const giveUp = () => (queries.cancel() === "unsent" ? noConnection(limitMs) : noReply(limitMs));
    return ownRows(await endingReadOnly(queries, () => whileHearing(sql, () => within(sent, { limitMs, giveUp }))));
  };

  const sendInside = async (tx: TransactionSql, query: PostgresQuery): Promise<readonly PostgresRow[]> =>
    ownRows(await send(tx, query));

  return {
    query: (query, tx, limitMs) =>
      tx === undefined
        ? preparing.guard(
            () => sendAlone(query, limitMs),
            () => sendAlone(query, limitMs),
          )
        : preparing.guard(() => sendInside(tx, query), undefined),

    transaction: (run, limitMs = Infinity) => transact(sql, { run, limitMs }),

    connections: sql.options.max,

    listen: (listening, signal) => listenWithPostgresJs(sql, listening, signal),

    close: async () => {},
  };
}

/**
 * Removes empty places before the rows. If a statement failed after its first rows, postgres.js leaves as many empty places before the
 * rows of the next statement on that connection.
 */
function ownRows(rows: readonly PostgresRow[]): readonly PostgresRow[] {
  return rows.length === 0 || 0 in rows ? rows : rows.filter(() => true);
}

/**
 * A transaction of postgres.js. On a connection that is closed, postgres.js would still send the commit, the rollback or the
 * callback's statements, and crash the process.
 */
function transact<TransactionSql extends PostgresJsQueryable, T>(
  sql: PostgresJsSql<TransactionSql>,
  { run, limitMs }: Pick<AroundCallback<TransactionSql, T>, "run" | "limitMs">,
): Promise<T> {
  const queries = noteQueries();
  let lent: Lent<TransactionSql> | undefined;
  let isGone = false;
  const begin: AroundCallback<TransactionSql, T>["begin"] = async (callback) => {
    try {
      return await sql.begin("isolation level read committed", async (handle) => {
        lent = lend(queries.notedBy(handle));
        try {
          await callback(lent.tx);
        } finally {
          // Before postgres.js sends the commit, because a statement sent after it would run by itself.
          lent.revoke();
          if (isGone) await new Promise<never>(() => undefined);
        }
      });
    } catch (error) {
      isGone = true;
      lent?.revoke(connectionIsGone);
      throw error;
    }
  };
  const runUntilClosingIsHeard = async (tx: TransactionSql): Promise<T> => {
    try {
      return await run(tx);
    } catch (error) {
      await closingIsHeard();
      throw error;
    }
  };
  const around = {
    begin,
    run: runUntilClosingIsHeard,
    limitMs,
    cancel: queries.cancel,
    commits: <Value>(commit: () => Promise<Value>) => whileHearing(sql, commit),
  };
  return endingReadOnly(queries, () => aroundCallback(around));
}

function connectionIsGone(): Error {
  return new Error("the connection of the transaction is closed");
}

/** A socket that failed is closed at the end of the same turn of the event loop. */
async function closingIsHeard(): Promise<void> {
  for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** A connection to a server that accepts no writes is not used again: the server is no primary any more. */
async function endingReadOnly<T>(queries: NotedQueries, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (isReadOnly(error)) queries.endConnection();
    throw error;
  }
}
