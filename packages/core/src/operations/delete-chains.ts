import type { Engine } from "../engine/engine.ts";
import { checkId } from "../checks/check-options.ts";
import { change } from "./change.ts";
import { checkChainKeys } from "./read-values.ts";

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
  const chainIds = [...new Set(items.map(chainIdOf))];
  const removed = await change(engine, tx, () => engine.state.remove({ chainIds, cascade }, engine.callOptions(tx)));
  engine.events.record(
    removed.map(({ chainId, typeName, interrupted }) => ({ type: "chain-deleted", chainId, typeName, interrupted })),
    tx,
  );
  return removed.map((chain) => chain.chainId);
}

function chainIdOf(item: DeleteItem): string {
  checkChainKeys(item, deleteKeys, "deleteChain");
  return checkId(item.id, "id");
}
