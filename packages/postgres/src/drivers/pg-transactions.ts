import { lend } from "@chainwright/sql-transactions";
import { endedTransaction, isReadOnly } from "../errors.ts";
import type { PgClient, PgPool } from "./pg-client.ts";
import { connect, rollsBack, type PgConnection } from "./pg-connection.ts";

/** Transactions on the connections of a pool. */
export interface PgTransactions<Client> {
  /** Runs a transaction. The connection, the begin and the commit may take `limitMs` each. */
  transaction<T>(run: (tx: Client) => Promise<T>, limitMs?: number): Promise<T>;
  /** Sends a statement with the `tx` of a transaction, unless that has ended. */
  inside<T>(tx: Client, send: () => Promise<T>): Promise<T>;
}

export function createTransactions<Client extends PgClient>(
  pool: Pick<PgPool<Client>, "connect">,
): PgTransactions<Client> {
  /** The clients of transactions that are open here. */
  const transacting = new WeakSet<PgClient>();

  return {
    transaction: async (run, limitMs = Infinity) => {
      const connection = await connect(pool.connect(), limitMs);
      transacting.add(connection.client);
      try {
        return await transact(connection, run, limitMs);
      } finally {
        transacting.delete(connection.client);
      }
    },

    inside: async (tx, send) => {
      // A handle that the application kept: another transaction uses the connection by now.
      if (transacting.has(tx)) throw endedTransaction();
      return send();
    },
  };
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
