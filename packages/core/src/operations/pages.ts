import type { PageQuery } from "../ports/query.ts";
import type { StoreAccess } from "../engine/engine.ts";
import { checkMaxScanned, type ListOptions } from "./list-queries.ts";
import type { Page } from "../types/list-options.ts";
import type { View } from "./views.ts";

/** Removes the extra row; the last remaining row is the next cursor. */
export function pageOf<Row, Item>(
  rows: readonly Row[],
  limit: number,
  view: (row: Row) => Item,
  key: (row: Row) => string,
): Page<Item> {
  const kept = rows.slice(0, limit);
  const last = kept.at(-1);
  return { items: kept.map(view), nextCursor: rows.length > limit && last !== undefined ? key(last) : undefined };
}

/** The id after which a search with `maxScanned` stops; undefined: it reads to the end. */
export async function searchEnd(
  store: StoreAccess,
  options: ListOptions<string>,
  { after, order }: PageQuery,
): Promise<string | undefined> {
  const limit = checkMaxScanned(options);
  if (limit === undefined) return undefined;
  return await store.state.reach({ after, order, limit }, store.callOptions(options.tx));
}

/** The next page of a search that stopped at its limit begins there. */
export function pageUntil(until: string | undefined, page: Page<View>): Page<View> {
  return { ...page, nextCursor: page.nextCursor ?? until };
}
