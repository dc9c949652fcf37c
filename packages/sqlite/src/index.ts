export { createSqliteStateAdapter } from "./adapter.ts";
export type { SqliteStateAdapterOptions } from "./adapter.ts";
export type { SqliteDatabase, SqliteDriver, SqliteRunResult, SqliteStatement, SqliteValue } from "./driver.ts";
export type { Durability } from "./open.ts";
export { createSqliteNotifyAdapter } from "./notify-adapter.ts";
export type { SqliteNotifyAdapterOptions } from "./notify-adapter.ts";
