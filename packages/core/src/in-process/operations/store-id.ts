import type { Store } from "../store.ts";

/** The id of the store, which lives as long as the adapter. */
export function storeId(store: Store): string {
  return store.id;
}
