export { createPostgresStateAdapter, type PostgresStateAdapterOptions } from "./adapter.ts";
export type { PostgresDriver, PostgresQuery, PostgresRow } from "./driver.ts";
