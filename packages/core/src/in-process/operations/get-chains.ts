import type { ChainRecord } from "../../model/record.ts";
import { toChainRecord } from "../records.ts";
import type { Store } from "../store.ts";

export function getChains(store: Store, ids: readonly string[]): readonly (ChainRecord | undefined)[] {
  return ids.map((id) => {
    const row = store.jobs.get(id);
    return row === undefined || row.chain !== undefined ? undefined : toChainRecord(row);
  });
}
