import type { PageQuery } from "../ports/query.ts";
import type { StoreAccess } from "../engine/engine.ts";
import { checkMaxScanned, type FilterOptions } from "./list-queries.ts";
import type { View } from "./views.ts";

export interface Page {
  readonly items: readonly View[];
  /** Undefined: this was the last page. */
  readonly nextCursor: string | undefined;
}

/** Removes the extra row; the last remaining row is the next cursor. */
export function pageOf<Row>(
  rows: readonly Row[],
  limit: number,
  view: (row: Row) => View,
  key: (row: Row) => string,
): Page {
  const kept = rows.slice(0, limit);
  const last = kept.at(-1);
  return { items: kept.map(view), nextCursor: rows.length > limit && last !== undefined ? key(last) : undefined };
}

/** The id after which a search with `maxScanned` stops; undefined: it reads to the end. */
export async function searchEnd(
  store: StoreAccess,
  options: FilterOptions<string>,
  { after, order }: PageQuery,
): Promise<string | undefined> {
  const limit = checkMaxScanned(options);
  if (limit === undefined) return undefined;
  return await store.state.reach({ after, order, limit }, store.callOptions(options.tx));
}

/** The next page of a search that stopped at its limit begins there. */
export function pageUntil(until: string | undefined, page: Page): Page {
  return { ...page, nextCursor: page.nextCursor ?? until };
}
