import type { Engine } from "../engine/engine.ts";
import { change, idOf } from "./change.ts";

interface DeleteItem {
  readonly id: string;
}

const deleteKeys = { id: true } satisfies Record<keyof DeleteItem, true>;

/** Deletes chains; all or none. Returns the ids of all deleted chains. */
export async function deleteChains(
  engine: Engine,
  items: readonly DeleteItem[],
  { cascade = false, tx }: { readonly cascade?: boolean | undefined; readonly tx?: unknown },
): Promise<readonly string[]> {
  if (items.length === 0) return [];
  const chainIds = [...new Set(items.map((item) => idOf(item, deleteKeys, "deleteChain")))];
  const removed = await change(engine, tx, () => engine.state.remove({ chainIds, cascade }, engine.callOptions(tx)));
  engine.events.record(
    removed.map(({ chainId, typeName, interrupted }) => ({ type: "chain-deleted", chainId, typeName, interrupted })),
    tx,
  );
  return removed.map((chain) => chain.chainId);
}
