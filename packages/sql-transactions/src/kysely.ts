import { Transaction, type DatabaseConnection, type Dialect, type Driver, type Kysely } from "kysely";

/** A transaction of Kysely on a connection, which it neither begins nor ends: the adapter does that. It has the plugins of the Kysely. */
export function transactionOn<DB>(
  db: Kysely<DB>,
  connection: DatabaseConnection,
  createIntrospector: Dialect["createIntrospector"],
): Transaction<DB> {
  const executor = db.getExecutor().withConnectionProvider({ provideConnection: (consumer) => consumer(connection) });
  const dialect: Dialect = {
    createDriver: () => driver,
    createQueryCompiler: notHere,
    createAdapter: () => executor.adapter,
    createIntrospector,
  };
  return new Transaction<DB>({ config: { dialect }, dialect, driver, executor });
}

/** Kysely asks it only for what a transaction does not offer. */
const driver: Driver = {
  init: async () => {},
  acquireConnection: notHere,
  beginTransaction: notHere,
  commitTransaction: notHere,
  rollbackTransaction: notHere,
  releaseConnection: async () => {},
  destroy: notHere,
};

function notHere(): never {
  throw new Error("a transaction of the adapter is begun and ended by the adapter");
}
