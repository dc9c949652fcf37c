/**
 * The driver for Drizzle on better-sqlite3, and on libsql through `drizzle-orm/better-sqlite3`.
 *
 * @module
 */
import { ChainwrightError } from "chainwright";
import type { SqliteDriver } from "../driver.ts";
import { driverOnClient, isSqliteClient, nameOf, refusal, type SqliteClient } from "./client.ts";

/** What the driver uses of a Drizzle database. */
interface DrizzleDatabase<Tx> {
  /** The database of better-sqlite3. */
  readonly $client: object;
  transaction<T>(run: (tx: Tx) => T): T;
}

/**
 * Makes Drizzle's transactions the `tx` of `client.transaction` and of handlers. Given a Drizzle database, the driver uses its one
 * connection and does not change its settings: the application closes it. Given a function, it opens connections of its own with it,
 * which the adapter closes; that is faster, and statements of the application outside of `tx` are not part of open transactions.
 *
 * Drizzle's `db.transaction` is synchronous here, so no call of a client fits into it: use `client.transaction`.
 *
 * @example
 * import { drizzle } from "drizzle-orm/better-sqlite3";
 * import { drizzleDriver } from "@chainwright/sqlite/drizzle";
 *
 * const stateAdapter = createSqliteStateAdapter({ driver: drizzleDriver(() => drizzle("shop.db")) });
 */
export function drizzleDriver<Tx extends object>(
  db: DrizzleDatabase<Tx> | (() => DrizzleDatabase<Tx>),
): SqliteDriver<Tx> {
  if (typeof db !== "function") clientOf(db);
  return driverOnClient<DrizzleDatabase<Tx>, Tx>(db, { clientOf, handleOf });
}

function clientOf(db: unknown): SqliteClient {
  if (sessionOf(db) === undefined || typeof db !== "object" || db === null || !("$client" in db)) {
    throw new ChainwrightError(
      "invalid-input",
      `db must be a database of Drizzle, or a function that returns one; got ${nameOf(db)}: pass what drizzle() returned`,
    );
  }
  if (!isSqliteClient(db.$client)) throw refusal("the client of Drizzle's database", db.$client);
  return db.$client;
}

/** What Drizzle's types do not describe. */
interface Session<Tx> {
  readonly client: object;
  transaction(run: (tx: Tx) => void): void;
}

function sessionOf(db: unknown): Session<object> | undefined {
  const session: unknown = typeof db === "object" && db !== null ? Reflect.get(db, "session") : undefined;
  return isSession(session) ? session : undefined;
}

function isSession<Tx extends object>(value: unknown): value is Session<Tx> {
  return (
    typeof value === "object" &&
    value !== null &&
    "client" in value &&
    "transaction" in value &&
    typeof value.transaction === "function"
  );
}

/**
 * A transaction of Drizzle on the connection, which it neither begins nor ends: the adapter does that. Drizzle's own code makes it:
 * its session calls `transaction` of its client, which here only runs the callback.
 */
function handleOf<Tx extends object>(db: DrizzleDatabase<Tx>): Tx {
  const session = sessionOf(db);
  let handle: Tx | undefined;
  if (session !== undefined) {
    const client = { value: withoutBegin(session.client) };
    const onConnection: unknown = Object.create(session, { client });
    if (isSession<Tx>(onConnection)) onConnection.transaction((tx) => (handle = tx));
  }
  if (handle === undefined)
    throw new TypeError("this version of Drizzle does not let a transaction be made on a connection");
  return handle;
}

function withoutBegin(client: object): object {
  const transaction = (run: unknown) => ({ deferred: run });
  return new Proxy(client, {
    get: (target, name) => {
      if (name === "transaction") return transaction;
      const value: unknown = Reflect.get(target, name, target);
      const bound: unknown = typeof value === "function" ? value.bind(target) : value;
      return bound;
    },
  });
}
