import { ChainwrightError } from "chainwright";
import type { SqliteDriver } from "./driver.ts";
import { isSqliteClient, nameOf } from "./orms/client.ts";

/** Throws if `driver` is not a driver; says how to make one of what was passed instead. */
export function checkDriver(driver: SqliteDriver<object>, adapter: string): void {
  const [got, advice] = mistakenFor(driver) ?? [];
  if (got === undefined) return;
  throw new ChainwrightError("invalid-input", `driver of ${adapter} must be a driver; got ${got}: ${advice}`);
}

const from = (call: string, door: string): string => `write driver: ${call}, from @chainwright/sqlite/${door}`;

/** What people pass instead of a driver, and what to write. */
function mistakenFor(driver: unknown): readonly [got: string, advice: string] | undefined {
  if (typeof driver === "string") {
    const call = `betterSqlite3(${JSON.stringify(driver)})`;
    return ["a path", from(call, "better-sqlite3")];
  }
  const has = (...names: readonly string[]) =>
    typeof driver === "object" &&
    driver !== null &&
    names.every((name) => typeof Reflect.get(driver, name) === "function");
  if (has("open", "openReader")) return undefined;
  if (isSqliteClient(driver)) {
    return driver.isTransaction === undefined
      ? ["a database of better-sqlite3", from("betterSqlite3(database)", "better-sqlite3")]
      : ["a database of node:sqlite", from("nodeSqlite(database)", "node-sqlite")];
  }
  if (typeof driver === "object" && driver !== null && "$client" in driver)
    return ["a database of Drizzle", from("drizzleDriver(db)", "drizzle")];
  if (has("selectFrom", "getExecutor")) return ["a Kysely", from("kyselyDriver(db, database)", "kysely")];
  if (has("query", "transaction"))
    return ["a driver for Postgres", "use createPostgresStateAdapter of @chainwright/postgres"];
  return [
    nameOf(driver),
    "pass betterSqlite3(path), nodeSqlite(path), or the driver of an ORM, such as drizzleDriver(db)",
  ];
}
