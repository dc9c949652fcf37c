/**
 * Chains in a SQLite database, which several processes of one machine may share.
 *
 * @module
 */
export { createSqliteStateAdapter } from "./adapter.ts";
export type { SqliteStateAdapterOptions } from "./adapter.ts";
export type { SqliteDatabase, SqliteDriver, SqliteRunResult, SqliteStatement, SqliteValue } from "./driver.ts";
export type { Durability } from "./open.ts";
export { createSqliteNotifyAdapter } from "./notify-adapter.ts";
export type { SqliteNotifyAdapterOptions } from "./notify-adapter.ts";
