import { settingOf } from "../result-rows.ts";
import type { Store } from "../store.ts";

/** The id that `migrate` gave to the store. */
export function createStoreId({ tables: t, sql }: Store): () => string {
  const stored = sql<{ value: string }>(`select value from ${t.meta} where key = 'store_id'`);
  return () => String(settingOf(stored.get()));
}
