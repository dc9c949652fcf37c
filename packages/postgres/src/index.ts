/**
 * Chains in PostgreSQL, in a schema beside the application's tables, and wake-ups by LISTEN and NOTIFY.
 *
 * @module
 */
export { createPostgresStateAdapter, type PostgresStateAdapterOptions } from "./adapter.ts";
export type { PostgresDriver, PostgresQuery, PostgresRow } from "./driver.ts";
export { createPostgresNotifyAdapter, type PostgresNotifyAdapterOptions } from "./notify/adapter.ts";
export type { PostgresListener, PostgresListening, PostgresNotifyDriver } from "./notify/driver.ts";
export { withTransactions, type PostgresTransactions } from "./with-transactions.ts";
