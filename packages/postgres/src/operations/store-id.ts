import type { CallOptions } from "chainwright/adapter";
import type { Store } from "../store.ts";

/** The id that `migrate` gave to the store. */
export async function storeId<Tx>({ schema: { quoted: s }, run }: Store<Tx>, { tx }: CallOptions<Tx>): Promise<string> {
  const text = `select m.store_id::text from ${s}.meta m`;
  const [row] = await run(tx, { text, parameters: [], prepare: false });
  return String(row?.[0]);
}
