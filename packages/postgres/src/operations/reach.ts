import type { CallOptions, PageQuery } from "chainwright/adapter";
import type { Store } from "../store.ts";
import { page, type Filter } from "./filter.ts";

export async function reach<Tx>(
  { schema: { quoted: s }, run }: Store<Tx>,
  query: PageQuery,
  { tx }: CallOptions<Tx>,
): Promise<string | undefined> {
  const filter: Filter = { conditions: [], parameters: [] };
  const rest = page(filter, "j.id", { ...query, limit: 1 });
  filter.parameters.push(String(query.limit - 1));
  const text = `select j.id from ${s}.job j ${rest} offset $${filter.parameters.length}::text::bigint`;
  const rows = await run(tx, { text, parameters: filter.parameters, prepare: false });
  return rows[0] === undefined ? undefined : String(rows[0][0]);
}
