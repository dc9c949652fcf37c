import type { StartedChainOf } from "./chain.ts";
import type { AnyEnv } from "./env.ts";
import type { InTransaction } from "./list-options.ts";
import type { StartOf } from "./next-step.ts";
import type { Refused } from "./refused.ts";

/*
 * The three types of calls are aliases and not interfaces: before the name of a method an editor shows the interface that it belongs
 * to, with its arguments, and those are all job types.
 */
/** The client's calls that start chains. */
export type StartCalls<in out E extends AnyEnv> = {
  /**
   * Starts a chain. With `tx` it is started when that transaction commits, and only then; without, calls made at the same
   * time share one statement.
   *
   * @throws `invalid-input`, `payload-not-serializable`, `payload-too-large`, `not-an-entry`, `duplicate-id`, `chain-not-found` (a blocker)
   * @example
   * const chain = await client.startChain({ typeName: "order.place", input: { orderId } });
   */
  startChain<const Name extends Entries<E>, Options extends object = StartChainOptions<E, Name>>(
    options: NamedOptions<Name, Options>,
  ): Promise<StartedChainOf<E["types"], string extends Name ? E["entries"] : Name>>;

  /**
   * Starts several chains in one statement, all or none; the results are in the order of the items.
   *
   * @example
   * const [order, mail] = await client.startChains({
   *   items: [{ typeName: "order.place", input: { orderId } }, { typeName: "mail.send", input: { to } }],
   * });
   */
  startChains<const Names extends readonly E["entries"][]>(
    options: { readonly items: { readonly [Place in keyof Names]: ItemOf<E["types"], Names[Place]> } } & InTransaction<
      E["tx"]
    >,
  ): Promise<{ readonly [Place in keyof Names]: StartedChainOf<E["types"], Names[Place]> }>;

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

/* `string & {}` allows every name, so that the error about a wrong one can be a sentence; completion offers the entries. */
type Entries<E extends AnyEnv> = E["entries"] | (string & {});

/* `Name` is inferred from the branch that is never taken; the compiler then computes the options once, and for that name only. */
type NamedOptions<Name, Options> = [Name] extends [never] ? { readonly typeName: Name } : NoInfer<Options>;

/** The options of `startChain`. */
export type StartChainOptions<E extends AnyEnv, Name> = Name extends E["entries"]
  ? StartOf<E["types"], Name> & InTransaction<E["tx"]>
  : string extends Name
    ? /* A constant with a name, which the compiler has widened. */ StartOf<E["types"], E["entries"]> &
        InTransaction<E["tx"]>
    : NotAnEntry<E, Name>;

/** Replaces the options of a start whose type cannot be started. To a union of names the compiler adds which one was meant. */
interface NotAnEntry<in out E extends AnyEnv, in out Name> {
  readonly typeName: Name extends E["names"] & string
    ? Refused<`'${Name}' is not an entry; declare it with entry: true to start it`>
    : [E["entries"]] extends [never]
      ? Refused<`'${Name & string}' is not a job type`>
      : E["entries"];
  readonly [option: string]: unknown;
}

/* The name is a property of its own, so that the compiler can infer it. */
type ItemOf<Types, Name extends PropertyKey> = { readonly typeName: Name } & StartOf<Types, Name>;
