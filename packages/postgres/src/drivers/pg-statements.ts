import { createHash } from "node:crypto";
import type { PostgresQuery, PostgresRow } from "../driver.ts";
import type { PgClient, PgPool, PgQuery } from "./pg-client.ts";
import { connect, isBroken } from "./pg-connection.ts";
import { createPreparing } from "./prepared.ts";

/** Sends statements through a pool. */
export interface PgStatements<Client> {
  /** Sends a statement by itself. The pool's connection and the reply may take `limitMs` together. */
  sendAlone(query: PostgresQuery, limitMs?: number): Promise<readonly PostgresRow[]>;
  /** Sends a statement on the connection of a transaction. */
  sendOn(client: Client, query: PostgresQuery): Promise<readonly PostgresRow[]>;
}

/** `prepare`: whether statements are prepared, as long as that works. */
export function createStatements<Client extends PgClient>(
  pool: Pick<PgPool<Client>, "connect">,
  prepare: boolean,
): PgStatements<Client> {
  const preparing = createPreparing(prepare);
  const nameOf = createNames();

  const send = async (client: Client, query: PostgresQuery): Promise<readonly PostgresRow[]> => {
    const { text, parameters } = query;
    const config: PgQuery = { text, values: [...parameters], rowMode: "array", types: asTexts };
    const result = await client.query(query.prepare && preparing.wanted ? { ...config, name: nameOf(text) } : config);
    const { rows } = result;
    // Otherwise the rows live as long as the promise of `pg`, which is found to be garbage only when all memory is searched: to read
    // 100,000 jobs in pages of 1,000 took 120 MB more than the process had before.
    result.rows = [];
    return rows as PostgresRow[];
  };

  const sendOnce = async (query: PostgresQuery, limitMs: number): Promise<readonly PostgresRow[]> => {
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

  return {
    sendAlone: (query, limitMs = Infinity) => {
      const run = () => sendOnce(query, limitMs);
      return preparing.guard(run, run);
    },
    sendOn: (client, query) => preparing.guard(() => send(client, query), undefined),
  };
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
