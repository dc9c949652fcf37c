import type { ChainStatus } from "../model/status.ts";
import type { StoreAccess } from "../engine/engine.ts";
import { checkChainQuery, type FilterOptions } from "./list-queries.ts";
import { pageOf, pageUntil, searchEnd, type Page } from "./pages.ts";
import { chainView } from "./views.ts";

export async function listChains(store: StoreAccess, options: FilterOptions<ChainStatus> = {}): Promise<Page> {
  const query = checkChainQuery(options, "listChains");
  const until = await searchEnd(store, options, query);
  const rows = await store.state.listChains({ ...query, until }, store.callOptions(options.tx));
  return pageUntil(
    until,
    pageOf(rows, query.limit - 1, chainView, (chain) => chain.id),
  );
}
