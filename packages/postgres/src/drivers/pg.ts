/**
 * The driver for `pg`.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { lend } from "@chainwright/sql-transactions";
import type { PostgresDriver, PostgresQuery, PostgresRow } from "../driver.ts";
import { endedTransaction, isReadOnly } from "../errors.ts";
import type { PostgresNotifyDriver } from "../notify/driver.ts";
import { listenWithPg, type PgClientSource } from "../notify/listen-pg.ts";
import { connect, isBroken, rollsBack, type PgConnection, type PoolClient } from "./pg-connection.ts";
import { createPreparing } from "./prepared.ts";

/** What the driver uses of a client of `pg`. */
interface PgClient extends PoolClient {
  query(config: PgQuery): Promise<{ readonly command?: string; readonly rows: unknown[] }>;
  listeners(event: "error"): unknown[];
}

/** A pool has two signatures of `connect`. With only one of them the compiler would not find the type of its clients. */
interface PgConnect<Client> {
  (): Promise<Client>;
  (callback: (error: Error | undefined, client: Client | undefined, done: (release?: boolean) => void) => void): void;
}

/** What the driver uses of a pool of `pg`. */
interface PgPool<Client extends PgClient> extends PgClientSource {
  connect: PgConnect<Client>;
  on(event: "error", listener: (error: Error) => void): unknown;
  on(event: "acquire", listener: (client: PgClient) => void): unknown;
  listeners(event: "error" | "acquire"): unknown[];
  readonly options: object & { readonly max?: number | undefined };
}

interface PgQuery {
  readonly text: string;
  readonly name?: string;
  readonly values?: (string | null)[];
  readonly rowMode?: "array";
  readonly types?: { getTypeParser(): (text: string) => unknown };
}

/**
 * Options of `pg`.
 *
 * @example
 * const behindPgBouncer: PgOptions = { prepare: false };
 * const stateAdapter = createPostgresStateAdapter({ driver: pg(pool, behindPgBouncer) });
 */
export interface PgOptions {
  /**
   * Whether statements are prepared once per connection. Behind a pooler in transaction mode that does not track prepared
   * statements, it turns itself off at the first failure; `false` avoids that failure. Default: true.
   */
  readonly prepare?: boolean | undefined;
}

/**
 * Uses Postgres through a pool of `pg`. The application closes the pool. A pool of one connection is enough as long as nothing
 * inside a transaction's callback waits for a call without its `tx`.
 *
 * @example
 * import { Pool } from "pg";
 *
 * const stateAdapter = createPostgresStateAdapter({ driver: pg(new Pool({ connectionString })) });
 */
export function pg<Client extends PgClient>(
  pool: PgPool<Client>,
  options: PgOptions = {},
): PostgresDriver<Client> & PostgresNotifyDriver<Client> {
  const preparing = createPreparing(options.prepare ?? true);
  const nameOf = createNames();
  /** The clients of transactions that are open here. */
  const transacting = new WeakSet<PgClient>();

  listenToErrors(pool);

  const send = async (
    client: Client,
    { text, parameters, prepare }: PostgresQuery,
  ): Promise<readonly PostgresRow[]> => {
    const config: PgQuery = { text, values: [...parameters], rowMode: "array", types: asTexts };
    const { rows } = await client.query(prepare && preparing.wanted ? { ...config, name: nameOf(text) } : config);
    return rows as PostgresRow[];
  };

  const sendAlone = async (query: PostgresQuery, limitMs = Infinity): Promise<readonly PostgresRow[]> => {
    const until = performance.now() + limitMs;
    const connection = await connect(pool.connect(), limitMs);
    try {
      const rows = await connection.commits(
        send(connection.client, query),
        Math.max(1, Math.round(until - performance.now())),
      );
      connection.letGo("good");
      return rows;
    } catch (error) {
      connection.letGo(isBroken(error) ? "broken" : "good");
      throw error;
    }
  };

  const sendInside = async (tx: Client, query: PostgresQuery): Promise<readonly PostgresRow[]> => {
    // A handle that the application kept: another transaction uses the connection by now.
    if (transacting.has(tx)) throw endedTransaction();
    return send(tx, query);
  };

  return {
    query: (query, tx, limitMs) =>
      tx === undefined
        ? preparing.guard(
            () => sendAlone(query, limitMs),
            () => sendAlone(query, limitMs),
          )
        : preparing.guard(() => sendInside(tx, query), undefined),

    transaction: async (run, limitMs = Infinity) => {
      const connection = await connect(pool.connect(), limitMs);
      transacting.add(connection.client);
      try {
        return await transact(connection, run, limitMs);
      } finally {
        transacting.delete(connection.client);
      }
    },

    connections: pool.options.max,

    listen: (listening, signal) => listenWithPg(pool, listening, signal),

    // The pool belongs to the application, and other drivers may use it.
    close: async () => {},
  };
}

/**
 * An event "error" without a listener ends the process. A pool emits one when an idle connection breaks; it has dropped that
 * connection by then, and the next call opens another. A connection gets its listener before the pool hands it out, because the
 * server's last message may arrive in one packet with the first "ready", before the caller has the connection. The pool gets one
 * listener, however many drivers use it.
 */
function listenToErrors(pool: Pick<PgPool<PgClient>, "on" | "listeners">): void {
  if (!pool.listeners("error").includes(ignore)) pool.on("error", ignore);
  if (!pool.listeners("acquire").includes(listenToErrorsOf)) pool.on("acquire", listenToErrorsOf);
}

function listenToErrorsOf(client: PgClient): void {
  if (!client.listeners("error").includes(ignore)) client.on("error", ignore);
}

/** Runs a transaction on a connection, then gives the connection back or closes it. */
async function transact<Client extends PgClient, T>(
  connection: PgConnection<Client>,
  run: (tx: Client) => Promise<T>,
  limitMs: number,
): Promise<T> {
  const { client } = connection;
  const { tx, revoke } = lend(client);
  try {
    await connection.commits(client.query({ text: "begin isolation level read committed" }), limitMs);
    const value = await run(tx);
    // Before the commit is sent, because a statement sent after it would run by itself.
    revoke();
    const { command } = await connection.commits(client.query({ text: "commit" }), limitMs);
    // Postgres replies so to the commit of a transaction in which a statement has failed.
    if (command === "ROLLBACK") throw new Error("the transaction was rolled back: a statement in it had failed");
    connection.letGo("good");
    return value;
  } catch (error) {
    revoke();
    await leave(connection, error);
    throw error;
  }
}

/** Ends a transaction that has failed: the connection is given back rolled back, or closed. */
async function leave(connection: PgConnection<PgClient>, error: unknown): Promise<void> {
  if (connection.isLetGo()) return;
  const rolledBack = await rollsBack(connection.client.query({ text: "rollback" }));
  connection.letGo(rolledBack && !isReadOnly(error) ? "good" : "broken");
}

/** Names of prepared statements. The same text has the same name on every connection. */
function createNames(): (text: string) => string {
  const names = new Map<string, string>();
  return (text) => {
    const known = names.get(text);
    if (known !== undefined) return known;
    const name = `chainwright_${createHash("sha256").update(text).digest("hex").slice(0, 32)}`;
    names.set(text, name);
    return name;
  };
}

/** The application may have changed how values are read. */
const asTexts = { getTypeParser: () => (text: string) => text };

function ignore(): void {}
