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
import { listenWithPg } from "../notify/listen-pg.ts";
import type { PgClientSource } from "../notify/listen-pg.ts";
import { connect, isBroken, rollsBack } from "./pg-connection.ts";
import type { PgConnection, PoolClient } from "./pg-connection.ts";
import { createPreparing } from "./prepared.ts";

/** What the driver uses of a client of `pg`. */
interface PgClient extends PoolClient {
  query(config: PgQuery): Promise<{ readonly command?: string; readonly rows: unknown[] }>;
  listeners(event: "error"): unknown[];
}

/** A pool has two ways to connect. Both stand here: with one of them the type of its clients would not be found. */
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
 * What `pg` takes beside the pool.
 *
 * @example
 * const behindPgBouncer: PgOptions = { prepare: false };
 * const stateAdapter = createPostgresStateAdapter({ driver: pg(pool, behindPgBouncer) });
 */
export interface PgOptions {
  /**
   * Whether statements are prepared once a connection. Behind a pooler in transaction mode that does not keep track of
   * them it turns itself off at the first failure; false spares that failure. True unless set.
   */
  readonly prepare?: boolean | undefined;
}

/**
 * Drives Postgres through a pool of `pg`, which stays the application's: it closes it. A pool of one connection suffices,
 * as long as nothing inside a transaction's callback waits for a call without its `tx`.
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
    // The application's handle of an earlier time: the connection is another one's by now.
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

    // The pool is the application's, and other drivers may be on it.
    close: async () => {},
  };
}

/**
 * An event "error" that nobody hears ends the process. A pool reports so of a connection that breaks while it is idle, which it
 * has let go of by then: the next call opens another. A connection is listened to all its life, before it is handed out: what
 * the server says last can stand in the same packet as the first "ready", and is heard before the one who waits for the
 * connection has it. One listener for as long as the pool lives, however many drivers are made on it.
 */
function listenToErrors(pool: Pick<PgPool<PgClient>, "on" | "listeners">): void {
  if (!pool.listeners("error").includes(ignore)) pool.on("error", ignore);
  if (!pool.listeners("acquire").includes(listenToErrorsOf)) pool.on("acquire", listenToErrorsOf);
}

function listenToErrorsOf(client: PgClient): void {
  if (!client.listeners("error").includes(ignore)) client.on("error", ignore);
}

/** Runs a transaction on a connection, and lets go of it. */
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
    // Before the commit is sent: what came behind it would run by itself.
    revoke();
    const { command } = await connection.commits(client.query({ text: "commit" }), limitMs);
    // What Postgres returns for the commit of a transaction in which a statement has failed.
    if (command === "ROLLBACK") throw new Error("the transaction was rolled back: a statement in it had failed");
    connection.letGo("good");
    return value;
  } catch (error) {
    revoke();
    await leave(connection, error);
    throw error;
  }
}

/** Lets go of the connection of a transaction that has failed, rolled back or closed. */
async function leave(connection: PgConnection<PgClient>, error: unknown): Promise<void> {
  if (connection.isLetGo()) return;
  const rolledBack = await rollsBack(connection.client.query({ text: "rollback" }));
  connection.letGo(rolledBack && !isReadOnly(error) ? "good" : "broken");
}

/** Names of prepared statements: the same for the same text, whoever else uses the connection. */
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
