import type { ChainQuery, ChainRecord } from "chainwright/adapter";
import { chainRecord } from "../result-rows.ts";
import type { ChainRow } from "../result-rows.ts";
import type { Store } from "../store.ts";
import { selectChains } from "./get-chains.ts";
import { createNarrow } from "./narrow-by-status.ts";
import { containing, createFilter, paged, within } from "./page.ts";
import { createStatements } from "./statements.ts";

export function createListChains(store: Store): (query: ChainQuery) => readonly ChainRecord[] {
  const narrow = createNarrow(store);
  const statement = createStatements<ChainRow>(store);
  return (query) => {
    const filter = createFilter("c.chain is null");
    within(filter, "c.type_name", query.typeNames);
    within(filter, "c.chain_status", query.statuses);
    narrow.chains(filter, query.statuses);
    within(filter, "c.id", query.ids);
    if (query.until !== undefined) filter.and(`c.id ${query.order === "ascending" ? "<=" : ">="} ?`, query.until);
    if (query.createdFrom !== undefined) filter.and("c.created_at >= ?", query.createdFrom);
    if (query.createdUntil !== undefined) filter.and("c.created_at < ?", query.createdUntil);
    if (query.errorText !== undefined) {
      filter.and("c.chain_status = 'failed'");
      narrow.chains(filter, ["failed"]);
    }
    containing(filter, "e.errors", query.errorText);
    const page = paged(filter, "c.id", query);
    return statement(`${selectChains(store.tables)} where ${filter.text} ${page}`)
      .all(...filter.parameters, query.limit)
      .map(chainRecord);
  };
}
