import type { ChainRecord } from "../../model/record.ts";
import { holderOf } from "../deduplication.ts";
import { toChainRecord } from "../records.ts";
import type { Store } from "../store.ts";

export function getKeyHolders(
  store: Store,
  keys: readonly string[],
  now: number,
): readonly (ChainRecord | undefined)[] {
  return keys.map((key) => {
    const holder = holderOf(store, key, now);
    return holder === undefined ? undefined : toChainRecord(holder.chain);
  });
}
