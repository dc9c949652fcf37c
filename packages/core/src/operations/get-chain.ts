import type { ChainRecord } from "../model/record.ts";
import { checkId, checkName, invalid } from "../checks/check-options.ts";
import type { StoreAccess } from "../engine/engine.ts";
import { getKeys, ofType, type GetOptions } from "./get-by-id.ts";
import { checkChainQuery } from "./list-queries.ts";
import { checkChainKeys, isReadValue } from "./read-values.ts";
import { storedKey } from "./stored-key.ts";
import { chainView, type View } from "./views.ts";

/** By its id, or by its type and deduplication key. */
export type GetChainOptions = Partial<GetOptions> & { readonly deduplicationKey?: string | undefined };

const getChainKeys = { ...getKeys, deduplicationKey: true } satisfies Record<keyof GetChainOptions, true>;

export async function getChain(store: StoreAccess, options: GetChainOptions): Promise<View | undefined> {
  checkChainKeys(options, getChainKeys, "getChain");
  // A chain as it was read has its deduplication key beside its id.
  const isById = options.deduplicationKey === undefined || isReadValue(options);
  const chain = isById ? await byId(store, options) : await byKey(store, options);
  if (chain === undefined) return undefined;
  const view = chainView(chain, store.types.versions.read);
  if (chain.status !== "active") return view;
  const query = { of: "chain", id: chain.id } as const;
  return { ...view, blockers: await store.state.countBlockers(query, store.callOptions(options.tx)) };
}

async function byId(store: StoreAccess, { id, typeName, tx }: GetChainOptions): Promise<ChainRecord | undefined> {
  const [chain] = await store.state.getChains([checkId(id, "id")], store.callOptions(tx));
  return chain === undefined ? undefined : ofType(chain, typeName);
}

/** The chain that holds the key, or else the newest one that was started with it. */
async function byKey(store: StoreAccess, options: GetChainOptions): Promise<ChainRecord | undefined> {
  const { id, typeName, deduplicationKey, tx } = options;
  if (id !== undefined) throw invalid("getChain takes either an id or a deduplicationKey; got both.");
  if (typeName === undefined)
    throw invalid("getChain by a deduplicationKey needs a typeName, because each type has its own keys.");
  const key = storedKey(typeName, checkName(deduplicationKey, "deduplicationKey"));
  const call = store.callOptions(tx);
  const [holder] = await store.state.getKeyHolders([key], call);
  if (holder !== undefined) return holder;
  const query = checkChainQuery({ typeName, deduplicationKey, limit: 1 }, "getChain");
  const [newest] = await store.state.listChains({ ...query, limit: 1 }, call);
  return newest;
}
