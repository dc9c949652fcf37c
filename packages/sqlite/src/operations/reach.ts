import type { PageQuery } from "chainwright/adapter";
import type { Store } from "../store.ts";
import { createFilter, paged } from "./page.ts";
import { createStatements } from "./statements.ts";

/** The index on ids has all columns that this reads. */
export function createReach(store: Store): (query: PageQuery) => string | undefined {
  const { tables: t } = store;
  const statement = createStatements<{ id: string }>(store);
  return (query) => {
    const filter = createFilter("true");
    const page = paged(filter, "id", query);
    const text = `select id from ${t.job} where ${filter.text} ${page} offset ?`;
    return statement(text).get(...filter.parameters, 1, query.limit - 1)?.id;
  };
}
