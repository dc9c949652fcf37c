import type { CallOptions, ChainQuery, ChainRecord } from "chainwright";
import { chainRecordOf, codeOf, idsOf, selectChains } from "../rows.ts";
import type { Store } from "../store.ts";
import { page, where, whereCreated, whereOneOf } from "./filter.ts";
import type { Filter } from "./filter.ts";

/** Planned for each call with its values: which filters are given, and how much they leave, makes all the difference. */
export async function listChains<Tx>(
  { schema, run }: Store<Tx>,
  query: ChainQuery,
  { tx }: CallOptions<Tx>,
): Promise<readonly ChainRecord[]> {
  const filter: Filter = { conditions: ["f.chain_status is not null"], parameters: [] };
  whereOneOf(filter, "f.type_name", query.typeNames);
  if (query.statuses !== undefined) {
    where(
      filter,
      idsOf(query.statuses.map((status) => String(codeOf(status)))),
      (place) => `f.chain_status = any(${place}::smallint[])`,
    );
  }
  if (query.ids !== undefined) where(filter, idsOf(query.ids), (place) => `f.id = any(${place}::uuid[])`);
  whereCreated(filter, "f.created_at", query);
  if (query.errorText !== undefined) {
    where(filter, query.errorText, (place) => `f.chain_status = 2 and position(${place} in e.errors) > 0`);
  }
  const text = `${selectChains(schema)} ${page(filter, "f.id", query)}`;
  const rows = await run(tx, () => ({ text, parameters: filter.parameters, prepare: false }));
  return rows.map(chainRecordOf);
}
