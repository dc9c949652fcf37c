import { ChainwrightError } from "chainwright";
import { hasMethods, isObject, isPGlite, isPgPool, isPostgresJs, isReference, nameOf } from "./orms/clients.ts";
import { isKnex } from "./orms/knex-pool.ts";

/** Throws if `driver` is not a driver with these methods; says how to make one of what was passed instead. */
export function checkDriver(driver: unknown, adapter: string, ...methods: readonly string[]): void {
  const mistaken = mistakenFor(driver);
  if (mistaken === undefined && isObject(driver) && hasMethods(driver, ...methods)) return;
  const [got, advice] = mistaken ?? [nameOf(driver), adviceOf(driver, methods)];
  throw new ChainwrightError("invalid-input", `driver of ${adapter} must be a driver; got ${got}: ${advice}`);
}

const from = (call: string, door: string): string => `write driver: ${call}, from @chainwright/postgres/${door}`;

/** What people pass instead of a driver, and what to write. A PGlite even has the methods of a driver. */
function mistakenFor(driver: unknown): readonly [got: string, advice: string] | undefined {
  if (typeof driver === "string") return ["a text", from("pg(new Pool({ connectionString }))", "pg")];
  if (!isReference(driver)) return undefined;
  if (isPgPool(driver)) return ["a Pool of pg", from("pg(pool)", "pg")];
  if (isPostgresJs(driver)) return ["the `sql` of postgres.js", from("postgresJs(sql)", "postgres-js")];
  if (isPGlite(driver)) return ["a PGlite", from("pglite(db)", "pglite")];
  if (isKnex(driver)) return ["a Knex", from("knexDriver(knex)", "knex")];
  if ("$client" in driver) return ["a database of Drizzle", from("drizzleDriver(db)", "drizzle")];
  if (hasMethods(driver, "$transaction", "$connect"))
    return ["a PrismaClient", from("prismaDriver(prisma, pool)", "prisma")];
  if (hasMethods(driver, "selectFrom", "getExecutor")) return ["a Kysely", from("kyselyDriver(db, pool)", "kysely")];
  if (hasMethods(driver, "connect", "query", "end"))
    return ["a single client of pg", from("pg(pool), with a Pool", "pg")];
  if (hasMethods(driver, "openReader"))
    return ["a driver for SQLite", "use createSqliteStateAdapter of @chainwright/sqlite"];
  if (hasMethods(driver, "then")) return ["a promise", "await it"];
  return undefined;
}

function adviceOf(driver: unknown, methods: readonly string[]): string {
  const missing = isObject(driver) ? methods.filter((method) => !hasMethods(driver, method)) : [];
  const lacks = missing.length > 0 && missing.length < methods.length ? `it has no ${missing.join(", no ")}; ` : "";
  return `${lacks}pass pg(pool), postgresJs(sql), pglite(db), or the driver of an ORM, such as drizzleDriver(db)`;
}
