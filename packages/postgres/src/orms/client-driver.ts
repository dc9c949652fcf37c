import { ChainwrightError } from "chainwright";
import type { PostgresDriver } from "../driver.ts";
import { createPGliteDriver } from "../drivers/pglite-driver.ts";
import { pglite } from "../drivers/pglite.ts";
import { pg } from "../drivers/pg.ts";
import { postgresJs } from "../drivers/postgres-js.ts";
import type { PostgresNotifyDriver } from "../notify/driver.ts";
import { isPGlite, isPgPool, isPostgresJs, nameOf } from "./clients.ts";
import { createTransact, ormDriver, type OrmTransactions } from "./orm-driver.ts";

/** A driver for the transactions of an ORM. Calls without `tx`, and LISTEN, use the client on which the ORM works. */
export function driverOnClient<Tx>(
  client: unknown,
  transactionsOn: (base: PostgresDriver) => OrmTransactions<Tx>,
  { name }: { readonly name: string },
): PostgresDriver<Tx> & PostgresNotifyDriver<Tx> {
  if (isPGlite(client)) {
    const transactions = transactionsOn(pglite(client));
    return createPGliteDriver(client, { ...transactions, transact: createTransact(transactions) }, patienceMs);
  }
  const base = isPgPool(client) ? pg(client) : isPostgresJs(client) ? postgresJs(client) : undefined;
  if (base !== undefined) {
    return { ...ormDriver(base, transactionsOn(base)), connections: base.connections, listen: base.listen };
  }
  throw new ChainwrightError(
    "invalid-input",
    `${name} must be a Pool of pg, a \`sql\` of postgres.js or a PGlite; got ${nameOf(client)}: use one of them, ` +
      "or write the driver with withTransactions of @chainwright/postgres",
  );
}

/** As in `pglite`. */
const patienceMs = 5_000;
