import type { ChainQuery, ChainRecord, KeyQuery } from "chainwright/adapter";
import { createReadChain } from "../ends/read-chain.ts";
import type { ChainRow } from "../result-rows.ts";
import type { Store } from "../store.ts";
import { selectChains } from "./get-chains.ts";
import { createNarrow } from "./narrow-by-status.ts";
import { containing, createFilter, paged, within } from "./page.ts";
import type { Filter } from "./page.ts";
import { createStatements } from "./statements.ts";

/** Beyond this many chains it does not matter how many have a tag. */
const many = 1_000;

export function createListChains(store: Store): (query: ChainQuery) => readonly ChainRecord[] {
  const { tables: t } = store;
  const narrow = createNarrow(store);
  const readChain = createReadChain(store);
  const statement = createStatements<ChainRow>(store);
  const countTagged = store.sql<{ count: number }>(
    `select count(*) as count from (select 1 from ${t.tag} where name = ? and value = ? limit ${many})`,
  );
  /** The tag of the fewest chains comes first: the page is read along it, in the order of the ids. */
  const rarestFirst = (tags: readonly (readonly [string, string])[]) => {
    if (tags.length < 2) return tags;
    const counted = tags.map((tag) => ({ tag, count: countTagged.get(...tag)?.count ?? many }));
    return counted.toSorted((left, right) => left.count - right.count).map(({ tag }) => tag);
  };

  return (query) => {
    const [tag, ...others] = rarestFirst(Object.entries(query.tags ?? {}));
    const id = tag === undefined ? "c.id" : "g.chain_id";
    const from = tag === undefined ? `${t.job} c` : `${t.tag} g cross join ${t.job} c on c.id = g.chain_id`;
    const filter = createFilter("c.chain is null");
    if (tag !== undefined) filter.and("g.name = ? and g.value = ?", ...tag);
    for (const other of others) {
      filter.and(
        `exists (select 1 from ${t.tag} x where x.name = ? and x.value = ? and x.chain_id = g.chain_id)`,
        ...other,
      );
    }
    if (query.key !== undefined) byKey(filter, query.key);
    within(filter, "c.type_name", query.typeNames);
    within(filter, "c.chain_status", query.statuses);
    if (tag === undefined && query.key === undefined) narrow.chains(filter, query.statuses);
    within(filter, "c.id", query.ids);
    if (query.until !== undefined) filter.and(`${id} ${query.order === "ascending" ? "<=" : ">="} ?`, query.until);
    if (query.createdFrom !== undefined) filter.and("c.created_at >= ?", query.createdFrom);
    if (query.createdBefore !== undefined) filter.and("c.created_at < ?", query.createdBefore);
    if (query.errorText !== undefined) {
      filter.and("c.chain_status = 'failed'");
      if (tag === undefined && query.key === undefined) narrow.chains(filter, ["failed"]);
    }
    containing(filter, "e.errors", query.errorText);
    const page = paged(filter, id, query);
    return statement(`${selectChains(t, from, query)} where ${filter.text} ${page}`)
      .all(...filter.parameters, query.limit)
      .map(readChain);
  };
}

function byKey(filter: Filter, key: KeyQuery): void {
  if ("equals" in key) {
    filter.and("c.key = ?", key.equals);
    return;
  }
  // A range, because an index has its rows in one place. The last character is ASCII.
  const { beginsWith } = key;
  const last = beginsWith.length - 1;
  const next = beginsWith.slice(0, last) + String.fromCharCode(beginsWith.charCodeAt(last) + 1);
  filter.and("c.key >= ? and c.key < ?", beginsWith, next);
}
