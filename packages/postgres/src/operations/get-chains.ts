import { arrayOf } from "../array-parameter.ts";
import type { CallOptions, ChainRecord } from "chainwright/adapter";
import { chainRecordOf, selectChains } from "../rows.ts";
import type { Store } from "../store.ts";

export async function getChains<Tx>(
  { schema, run }: Store<Tx>,
  ids: readonly string[],
  { tx }: CallOptions<Tx>,
): Promise<readonly (ChainRecord | undefined)[]> {
  if (ids.length === 0) return [];
  const text = `${selectChains(schema)} where f.id = any($1::text::uuid[]) and f.chain_status is not null`;
  const rows = await run(tx, { text, parameters: [arrayOf(ids)], prepare: true });
  const records = new Map(rows.map(chainRecordOf).map((record) => [record.id, record]));
  return ids.map((id) => records.get(id));
}
