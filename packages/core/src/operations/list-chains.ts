import type { StoreAccess } from "../engine/engine.ts";
import { checkChainQuery, type ChainListOptions } from "./list-queries.ts";
import { listedView } from "./listed-view.ts";
import { pageOf, pageUntil, searchEnd } from "./pages.ts";
import type { Page } from "../types/list-options.ts";
import { chainView, type View } from "./views.ts";

export async function listChains(store: StoreAccess, options: ChainListOptions = {}): Promise<Page<View>> {
  const query = checkChainQuery(options, "listChains");
  const until = await searchEnd(store, options, query);
  const rows = await store.state.listChains({ ...query, until }, store.callOptions(options.tx));
  return pageUntil(
    until,
    pageOf(rows, query.limit - 1, listedView(store.types.versions, chainView), (chain) => chain.id),
  );
}
