import { arrayOf } from "../array-parameter.ts";
import type { CallOptions, ChainQuery, ChainRecord, KeyQuery } from "chainwright/adapter";
import { chainRecordOf, codeOf, selectChains } from "../rows.ts";
import type { Store } from "../store.ts";
import { fromTags } from "./filter-by-tags.ts";
import { areStopped, page, where, whereCreated, whereOneOf, type Filter } from "./filter.ts";

/** Not prepared: the best plan depends on which filters are given, and on how many rows they select. */
export async function listChains<Tx>(
  store: Store<Tx>,
  query: ChainQuery,
  { tx }: CallOptions<Tx>,
): Promise<readonly ChainRecord[]> {
  const { schema, run } = store;
  const s = schema.quoted;
  const filter: Filter = { conditions: ["f.chain_status is not null"], parameters: [] };
  const { from, id } = await fromTags(store, { filter, tags: query.tags ?? {}, tx });
  whereOneOf(filter, "f.type_name", query.typeNames);
  if (query.statuses !== undefined) {
    where(filter, arrayOf(query.statuses.map(codeOf)), (place) => `f.chain_status = any(${place}::smallint[])`);
  }
  if (areStopped(query.statuses) || query.errorText !== undefined) {
    filter.conditions.push(`f.id in (select k.chain_id from ${s}.stopped k)`);
  } else if (query.statuses?.every((status) => status === "active") === true && (await areFewOpen(store, tx))) {
    filter.conditions.push(`f.id in (select o.chain_id from ${s}.open_job o)`);
  }
  if (query.ids !== undefined) where(filter, arrayOf(query.ids), (place) => `f.id = any(${place}::uuid[])`);
  if (query.key !== undefined) whereKey(filter, query.key);
  whereCreated(filter, "f.created_at", query);
  if (query.errorText !== undefined) {
    where(filter, query.errorText, (place) => `f.chain_status = 2 and position(${place} in e.errors) > 0`);
  }
  const text = `${selectChains(schema, from, query)} ${page(filter, id, query)}`;
  const rows = await run(tx, { text, parameters: filter.parameters, prepare: false });
  return rows.map(chainRecordOf);
}

function whereKey(filter: Filter, key: KeyQuery): void {
  if ("equals" in key) {
    where(filter, key.equals, (place) => `f.key = ${place}`);
    return;
  }
  // A range, because an index has its rows in one place. The last character is ASCII.
  const { beginsWith } = key;
  const last = beginsWith.length - 1;
  const next = beginsWith.slice(0, last) + String.fromCharCode(beginsWith.charCodeAt(last) + 1);
  where(filter, beginsWith, (place) => `f.key >= ${place}`);
  where(filter, next, (place) => `f.key < ${place}`);
}

/**
 * With more open jobs than this, reading all of them costs more than finding a page of active chains among all chains. They are counted in
 * the table, which is smaller than its index where many jobs have ended since the last vacuum.
 */
const fewOpen = 10_000;

async function areFewOpen<Tx>({ schema, run }: Store<Tx>, tx: Tx | undefined): Promise<boolean> {
  const text = `select 1 from ${schema.quoted}.open_job o where o.fence >= 0 offset ${fewOpen} limit 1`;
  return (await run(tx, { text, parameters: [], prepare: true })).length === 0;
}
