/**
 * The driver for postgres.js.
 *
 * @module
 */
import { lend } from "@chainwright/sql-transactions";
import type { Lent } from "@chainwright/sql-transactions";
import type { PostgresDriver, PostgresQuery, PostgresRow } from "../driver.ts";
import { isReadOnly, noAnswer, noConnection } from "../errors.ts";
import type { PostgresNotifyDriver } from "../notify/driver.ts";
import { listenWithPostgresJs } from "../notify/listen-postgres-js.ts";
import type { PostgresJsSource } from "../notify/listen-postgres-js.ts";
import { aroundCallback } from "./around-callback.ts";
import type { AroundCallback } from "./around-callback.ts";
import { whileHearing } from "./postgres-js-notices.ts";
import { noteQueries } from "./postgres-js-queries.ts";
import type { NotedQueries, PostgresJsQueryable } from "./postgres-js-queries.ts";
import { createPreparing } from "./prepared.ts";
import { within } from "./time-limit.ts";

export { hearNotices } from "./postgres-js-notices.ts";
export type { NoticeListener } from "./postgres-js-notices.ts";

/** What the driver uses of the `sql` of postgres.js. */
interface PostgresJsSql<TransactionSql extends PostgresJsQueryable> extends PostgresJsQueryable, PostgresJsSource {
  readonly options: object & { readonly max?: number | undefined };
  begin(options: string, run: (sql: TransactionSql) => Promise<unknown>): Promise<unknown>;
}

/**
 * Drives Postgres through postgres.js; the `sql` stays the application's: it ends it. A pool of one connection suffices, as
 * long as nothing inside a transaction's callback waits for a call without its `tx`. Behind a pooler in transaction mode that
 * does not keep track of prepared statements, `sql` needs its option `prepare: false`; with synchronous replication it needs
 * `onnotice`, see {@link hearNotices}.
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

  const send = (on: PostgresJsQueryable, query: PostgresQuery) =>
    on.unsafe(query.text, [...query.parameters], { prepare: query.prepare && preparing.wanted }).values();

  const sendAlone = async (query: PostgresQuery, limitMs = Infinity): Promise<readonly PostgresRow[]> => {
    const queries = noteQueries();
    const sent = Promise.resolve(queries.note(send(sql, query)));
    const giveUp = () => (queries.cancel() === "unsent" ? noConnection(limitMs) : noAnswer(limitMs));
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
 * postgres.js puts the rows of a statement behind places left empty for the rows of the statement before it on that connection, if that
 * one failed after its first rows.
 */
function ownRows(rows: readonly PostgresRow[]): readonly PostgresRow[] {
  return rows.length === 0 || 0 in rows ? rows : rows.filter(() => true);
}

/**
 * A transaction of postgres.js. On a connection that is gone, postgres.js would commit or roll back all the same, or send what the
 * callback sends, and end the process with that.
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
          // Before postgres.js sends the commit: what came behind it would run by itself.
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
  return new Error("the connection of the transaction is gone");
}

/** A socket that failed is closed at the end of the same turn of the event loop. */
async function closingIsHeard(): Promise<void> {
  for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** A connection that takes no writes leads to a primary no more, and is not used again. */
async function endingReadOnly<T>(queries: NotedQueries, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (isReadOnly(error)) queries.endConnection();
    throw error;
  }
}
