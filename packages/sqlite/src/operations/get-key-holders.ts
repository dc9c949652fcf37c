import type { ChainRecord } from "chainwright/adapter";
import { createReadChain } from "../ends/read-chain.ts";
import type { ChainRow } from "../result-rows.ts";
import type { Store } from "../store.ts";
import { selectChains } from "./get-chains.ts";

export function createGetKeyHolders(
  store: Store,
): (keys: readonly string[], now: number) => readonly (ChainRecord | undefined)[] {
  const { tables: t } = store;
  const readChain = createReadChain(store);
  const holder = store.sql<ChainRow>(
    `${selectChains(t)}
     where c.seq = (select chain from ${t.deduplication} where key = ? and (until is null or until > ?))`,
  );
  return (keys, now) =>
    keys.map((key) => {
      const row = holder.get(key, now);
      return row === undefined ? undefined : readChain(row);
    });
}
