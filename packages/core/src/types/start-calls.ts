import type { Declared, declared } from "./declared.ts";
import type { AnyEnv } from "./env.ts";
import type { StartChain, StartChains } from "./start-chain.ts";

/*
 * The three types of calls are aliases and not interfaces: before the name of a method an editor shows the interface that it belongs
 * to, with its arguments, and those are all job types.
 */
/** The client's calls that start chains. */
export type StartCalls<in out E extends AnyEnv> = {
  /** Types only: it does not exist at run time. */
  readonly [declared]?: Declared<E["types"]>;
  /**
   * Starts a chain. With `tx` it is started when that transaction commits, and only then; without, calls made at the same
   * time share one statement.
   *
   * @throws `invalid-input`, `payload-not-serializable`, `payload-too-large`, `not-an-entry`, `duplicate-id`, `chain-not-found` (a blocker)
   * @example
   * const chain = await client.startChain({ typeName: "order.place", input: { orderId } });
   */
  readonly startChain: StartChain<E["types"], E["tx"]>;

  /**
   * Starts several chains in one statement, all or none; the results are in the order of the items.
   *
   * @example
   * const [order, mail] = await client.startChains({
   *   items: [{ typeName: "order.place", input: { orderId } }, { typeName: "mail.send", input: { to } }],
   * });
   */
  readonly startChains: StartChains<E["types"], E["tx"]>;

  /**
   * Calls `run` in a transaction of the state adapter. Commits when `run` resolves, and then wakes the workers; rolls back when
   * `run` rejects, and rejects with the same error.
   *
   * @example
   * await client.transaction(async (tx) => {
   *   await tx.query("insert into orders (id) values ($1)", [orderId]);
   *   await client.startChain({ tx, typeName: "order.place", input: { orderId } });
   * });
   */
  transaction<Result>(run: (tx: E["tx"]) => Promise<Result>): Promise<Result>;

  /**
   * Wakes workers, and reports events, after the commit of a transaction that the application opened. Without it jobs start
   * later, but no job is lost, because workers also poll.
   *
   * @example
   * const connection = await pool.connect();
   * await connection.query("begin");
   * await client.startChain({ tx: connection, typeName: "order.place", input: { orderId } });
   * await connection.query("commit");
   * client.committed(connection);
   * connection.release();
   */
  committed(tx: E["tx"]): void;

  /**
   * Discards the events of a transaction that the application opened and rolled back. On Postgres the client notices the rollback
   * when another transaction writes with the same handle; call this if a handle is reused, such as a connection of SQLite.
   *
   * @example
   * const connection = await pool.connect();
   * await connection.query("begin");
   * await client.startChain({ tx: connection, typeName: "order.place", input: { orderId } });
   * await connection.query("rollback");
   * client.rolledBack(connection);
   * connection.release();
   */
  rolledBack(tx: E["tx"]): void;
};
