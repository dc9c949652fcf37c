import type { Store } from "../store.ts";

/** The id of the store, which exists as long as the adapter. */
export function storeId(store: Store): string {
  return store.id;
}
