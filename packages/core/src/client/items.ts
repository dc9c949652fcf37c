import { checkKeys, invalid, isList, type OptionKeys } from "../checks/check-options.ts";
import type { InTransaction } from "../types/list-options.ts";

/** The options of a call for several chains or jobs. */
export type Items<Item> = InTransaction<unknown> & { readonly items: readonly Item[] };

const itemsKeys = { items: true, tx: true } satisfies Record<keyof Items<unknown>, true>;

export function itemsOf<Item>(options: Items<Item>, what: string, keys: OptionKeys = itemsKeys): readonly Item[] {
  if (typeof options !== "object" || options === null || !isList(options.items))
    throw invalid(`the options of ${what} must be { items: [...] }.`);
  checkKeys(options, keys, what);
  return options.items;
}
