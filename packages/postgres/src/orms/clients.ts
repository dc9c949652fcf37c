import type { PGliteDatabase, PGliteQueryable } from "../drivers/pglite-driver.ts";
import type { PgClient, PgPool } from "../drivers/pg-client.ts";
import type { PostgresJsQueryable } from "../drivers/postgres-js-queries.ts";
import type { PostgresJsSql } from "../drivers/postgres-js.ts";

/** Whether it is a pool of pg. A single client has no `totalCount`. */
export function isPgPool(client: unknown): client is PgPool<PgClient> {
  return (
    isObject(client) &&
    hasMethods(client, "connect", "on", "listeners") &&
    "options" in client &&
    "totalCount" in client
  );
}

export function isPostgresJs(client: unknown): client is PostgresJsSql<PostgresJsQueryable> {
  return typeof client === "function" && hasMethods(client, "begin", "unsafe") && "options" in client;
}

export function isPGlite(client: unknown): client is PGliteDatabase<PGliteQueryable> {
  return isObject(client) && hasMethods(client, "query", "transaction", "listen", "execProtocol");
}

export function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Whether it is an object or a function, as the `sql` of postgres.js is. */
export function isReference(value: unknown): value is object {
  return isObject(value) || typeof value === "function";
}

export function hasMethods(value: object, ...names: readonly string[]): boolean {
  return names.every((name) => typeof Reflect.get(value, name) === "function");
}

/** What an error message calls a value: the name of its class, or its type. */
export function nameOf(value: unknown): string {
  if (value === null) return "null";
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value !== "object") return value === undefined ? "undefined" : `a ${typeof value}`;
  const prototype: unknown = Object.getPrototypeOf(value);
  const name: unknown = isObject(prototype) ? Reflect.get(prototype, "constructor") : undefined;
  return typeof name === "function" && name.name !== "" && name.name !== "Object" ? `a ${name.name}` : "an object";
}

/** The values of rows that are objects, whose properties are in the order of the columns. */
export function valuesOf(rows: readonly unknown[]): readonly (readonly unknown[])[] {
  return rows.map((row): readonly unknown[] => (isObject(row) ? Object.values(row) : []));
}

/** Closes a connection of pg that does not respond. The others have no public way. */
export function closeConnection(connection: object): void {
  const inner: unknown = Reflect.get(connection, "connection");
  const stream: unknown = isObject(inner) ? Reflect.get(inner, "stream") : undefined;
  const destroy: unknown = isObject(stream) ? Reflect.get(stream, "destroy") : undefined;
  if (typeof destroy === "function") Reflect.apply(destroy, stream, []);
}
