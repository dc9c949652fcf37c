import type { AwaitedChain } from "chainwright/adapter";
import type { Store } from "../store.ts";
import { createGetChains } from "./get-chains.ts";

/** Reads chains, and notes of the active ones that a process awaits them. */
export function createNoteAwaited(store: Store): (ids: readonly string[]) => readonly AwaitedChain[] {
  const getChains = createGetChains(store);
  const note = store.sql(
    `update ${store.tables.job} set awaited = 1 where id = ? and chain_status = 'active' and awaited is null`,
  );
  return (ids) =>
    getChains(ids).map((chain) => {
      if (chain?.status !== "active") return { chain, isNoted: false };
      note.run(chain.id);
      return { chain, isNoted: true };
    });
}
