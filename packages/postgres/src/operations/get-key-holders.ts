import type { CallOptions, ChainRecord } from "chainwright/adapter";
import { chainRecordOf, momentOf, selectChains } from "../rows.ts";
import { momentParameter, type Store } from "../store.ts";

export async function getKeyHolders<Tx>(
  { schema, run }: Store<Tx>,
  keys: readonly string[],
  { tx, now }: CallOptions<Tx>,
): Promise<readonly (ChainRecord | undefined)[]> {
  if (keys.length === 0) return [];
  const text = `${selectChains(schema)}
join ${schema.quoted}.deduplication d on d.chain_id = f.id
where d.key = any(array(select json_array_elements_text($1::text::json)))
  and (d.until is null or d.until > ${momentOf("$2")})`;
  const rows = await run(tx, { text, parameters: [JSON.stringify(keys), momentParameter(now)], prepare: true });
  const records = new Map(rows.map(chainRecordOf).map((record) => [record.key, record]));
  return keys.map((key) => records.get(key));
}
