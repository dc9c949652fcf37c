import { createHash } from "node:crypto";
import type { PostgresDriver, PostgresQuery, PostgresRow } from "../driver.ts";
import { sqlStateOf } from "../errors.ts";
import type { PostgresNotifyDriver } from "../notify/driver.ts";
import { listenWithPg } from "../notify/listen-pg.ts";
import type { PgClientSource } from "../notify/listen-pg.ts";

/** What the driver uses of a client of `pg`. */
export interface PgClient {
  query(config: PgQuery): Promise<{ readonly command?: string; readonly rows: unknown[] }>;
  on(event: "error", listener: (error: Error) => void): unknown;
  listeners(event: "error"): unknown[];
  release(destroy?: boolean): void;
}

/** What the driver uses of a pool of `pg`. */
export interface PgPool<Client extends PgClient> extends PgClientSource {
  connect(): Promise<Client>;
  on(event: "error", listener: (error: Error) => void): unknown;
  removeListener(event: "error", listener: (error: Error) => void): unknown;
}

interface PgQuery {
  readonly text: string;
  readonly name?: string;
  readonly values?: (string | null)[];
  readonly rowMode?: "array";
  readonly types?: { getTypeParser(): (text: string) => unknown };
}

export interface PgOptions {
  /**
   * Whether statements are prepared once a connection. Set it to false behind a pooler that hands a connection from one
   * transaction to the next and does not keep track of prepared statements; true unless set.
   */
  readonly prepare?: boolean;
}

/**
 * Drives Postgres through a pool of `pg`, which stays the application's: it closes it. A pool of one connection suffices.
 *
 * @example
 * const stateAdapter = createPostgresStateAdapter({ driver: pg(new Pool({ connectionString })) });
 */
export function pg<Client extends PgClient>(
  pool: PgPool<Client>,
  options: PgOptions = {},
): PostgresDriver<Client> & PostgresNotifyDriver<Client> {
  const names = new Map<string, string>();
  let prepares = options.prepare ?? true;

  // A connection that breaks while it is idle is reported by the pool, and an event "error" that nobody hears ends the
  // process. The pool has let go of that connection by then, and the next call opens another.
  pool.on("error", ignore);

  const checkOut = async (): Promise<Client> => {
    const client = await pool.connect();
    // All its life, not only until it is given back.
    if (!client.listeners("error").includes(ignore)) client.on("error", ignore);
    return client;
  };

  const send = async (client: Client, query: PostgresQuery): Promise<readonly PostgresRow[]> => {
    const { text, parameters } = query;
    const config: PgQuery = { text, values: [...parameters], rowMode: "array", types: asTexts };
    if (!query.prepare || !prepares) return rowsOf(await client.query(config));
    try {
      return rowsOf(await client.query({ ...config, name: nameOf(text) }));
    } catch (error) {
      if (wasPooledAway(error)) prepares = false;
      throw error;
    }
  };

  const nameOf = (text: string): string => {
    const known = names.get(text);
    if (known !== undefined) return known;
    const name = `chainwright_${createHash("sha256").update(text).digest("hex").slice(0, 32)}`;
    names.set(text, name);
    return name;
  };

  const alone = async (query: PostgresQuery): Promise<readonly PostgresRow[]> => {
    const client = await checkOut();
    try {
      const rows = await send(client, query);
      client.release();
      return rows;
    } catch (error) {
      client.release(isBroken(error));
      throw error;
    }
  };

  return {
    query: async (query, tx) => {
      if (tx !== undefined) return send(tx, query);
      const hadPrepared = prepares;
      try {
        return await alone(query);
      } catch (error) {
        // Nothing was run: the statement that was to be run was not there.
        if (hadPrepared && wasPooledAway(error)) return alone(query);
        throw error;
      }
    },

    transaction: async (run) => {
      const client = await checkOut();
      try {
        await client.query({ text: "begin isolation level read committed" });
        const value = await run(client);
        const { command } = await client.query({ text: "commit" });
        // What Postgres answers to the commit of a transaction in which a statement has failed.
        if (command === "ROLLBACK") throw new Error("the transaction was rolled back: a statement in it had failed");
        client.release();
        return value;
      } catch (error) {
        await endFailed(client, error);
        throw error;
      }
    },

    listen: (listening, signal) => listenWithPg(pool, listening, signal),

    close: async () => {
      pool.removeListener("error", ignore);
    },
  };
}

async function endFailed(client: PgClient, failure: unknown): Promise<void> {
  if (isBroken(failure) && sqlStateOf(failure) !== undefined) {
    client.release(true);
    return;
  }
  try {
    await client.query({ text: "rollback" });
    client.release();
  } catch {
    client.release(true);
  }
}

/** Whether the connection may not be in a state to be used again. */
function isBroken(error: unknown): boolean {
  const state = sqlStateOf(error);
  return state === undefined || /^(08|57P|25P03)/.test(state);
}

/** A prepared statement is missing, or there already: this connection to the server is not the one it was. */
function wasPooledAway(error: unknown): boolean {
  const state = sqlStateOf(error);
  return state === "26000" || state === "42P05";
}

function rowsOf({ rows }: { readonly rows: unknown[] }): readonly PostgresRow[] {
  return rows as PostgresRow[];
}

/** The application may have changed how its own values are read. */
const asTexts = { getTypeParser: () => (text: string) => text };

function ignore(): void {}
