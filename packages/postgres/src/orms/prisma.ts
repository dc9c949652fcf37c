/**
 * The driver for Prisma on pg.
 *
 * @module
 */
import { ChainwrightError } from "chainwright";
import type { PostgresDriver } from "../driver.ts";
import type { PgClient, PgPool } from "../drivers/pg-client.ts";
import { pg } from "../drivers/pg.ts";
import type { PostgresNotifyDriver } from "../notify/driver.ts";
import { hasMethods, isObject, isPgPool, nameOf, valuesOf } from "./clients.ts";
import { ormDriver } from "./orm-driver.ts";

/** What the driver uses of a `PrismaClient`. */
interface PrismaDatabase<Tx> {
  $transaction<T>(
    run: (tx: Tx) => Promise<T>,
    options?: { maxWait?: number; timeout?: number; isolationLevel?: "ReadCommitted" },
  ): Promise<T>;
}

/** What the driver uses of a `Prisma.TransactionClient`. */
interface PrismaTransaction {
  $queryRawUnsafe<T>(text: string, ...values: unknown[]): PromiseLike<T>;
}

/**
 * Makes Prisma's interactive transactions the `tx` everywhere: `client.transaction` and handlers open them, and one that the
 * application opened with `prisma.$transaction` can be passed as `tx`. Everything else, LISTEN included, uses the pool.
 *
 * The limits of the state adapter apply to the transactions that the driver opens, not Prisma's `timeout` of 5 seconds. For a
 * transaction that the application opened, Prisma's limits apply.
 *
 * @param pool A Pool of pg, connected to Prisma's database. It can be the one of `PrismaPg`.
 *
 * @example
 * // const prisma = new PrismaClient({ adapter: new PrismaPg(pool) });
 * const driver = prismaDriver(prisma, pool);
 * const stateAdapter = createPostgresStateAdapter({ driver });
 * const notifyAdapter = createPostgresNotifyAdapter({ driver });
 */
export function prismaDriver<Tx extends PrismaTransaction>(
  prisma: PrismaDatabase<Tx>,
  pool: PgPool<PgClient>,
): PostgresDriver<Tx> & PostgresNotifyDriver<Tx> {
  checkClients(prisma, pool);
  const base = pg(pool);
  const transactions = ormDriver<Tx>(base, {
    begin: (run) =>
      prisma.$transaction(run, { isolationLevel: "ReadCommitted", maxWait: longestMs, timeout: longestMs }),
    send: async (tx, { text, parameters }) => {
      checkTransaction(tx);
      return valuesOf(await tx.$queryRawUnsafe<unknown[]>(text, ...parameters));
    },
  });
  return { ...transactions, connections: base.connections, listen: base.listen };
}

/** The longest delay of a timer. */
const longestMs = 2 ** 31 - 1;

function checkClients(prisma: unknown, pool: unknown): void {
  if (!isObject(prisma) || !hasMethods(prisma, "$transaction")) {
    throw invalid(`prisma must be a PrismaClient; got ${nameOf(prisma)}: write prismaDriver(prisma, pool)`);
  }
  if (!isPgPool(pool))
    throw invalid(`pool must be a Pool of pg; got ${nameOf(pool)}: write prismaDriver(prisma, pool)`);
}

function checkTransaction(tx: unknown): void {
  // A client has `$transaction` as well, a transaction has not.
  if (isObject(tx) && hasMethods(tx, "$queryRawUnsafe") && !hasMethods(tx, "$connect")) return;
  throw invalid(
    `tx must be a transaction of Prisma; got ${nameOf(tx)}: pass the tx that client.transaction or prisma.$transaction gives its callback`,
  );
}

function invalid(message: string): ChainwrightError {
  return new ChainwrightError("invalid-input", message);
}
