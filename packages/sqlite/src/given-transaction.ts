import { ChainwrightError } from "chainwright";
import type { SqliteDatabase, SqliteDriver } from "./driver.ts";
import type { Store } from "./store.ts";
import type { Writer } from "./writer.ts";

export interface GivenTransactionOptions<Tx extends object> {
  readonly driver: SqliteDriver<Tx>;
  readonly database: SqliteDatabase<Tx>;
  readonly store: Store;
  readonly writer: Writer<Tx>;
}

/** Returns a function that runs work inside the transaction that `tx` is; errors of the store are thrown as they are. */
export function createGivenTransaction<Tx extends object>(options: GivenTransactionOptions<Tx>) {
  const { driver, database, store, writer } = options;
  return <T>(tx: Tx, work: () => T): T => {
    const lent = writer.lent(tx);
    if (lent !== undefined) return lent.run(work);
    if (writer.isOpen || !isOwn(tx, database, driver)) throw noTransaction();
    return store.attempt(work, () => false);
  };
}

/** Whether `tx` is a transaction of the application, on the handle that it passed to the driver. */
function isOwn<Tx extends object>(tx: Tx, database: SqliteDatabase<Tx>, driver: SqliteDriver<Tx>): boolean {
  if (!driver.openedByApplication || !database.inTransaction) return false;
  return driver.isOpen?.(tx) ?? tx === database.handle;
}

function noTransaction(): ChainwrightError {
  return new ChainwrightError(
    "invalid-input",
    "tx must be an open transaction of this state adapter: pass the handle that the callback of its transaction receives",
  );
}
