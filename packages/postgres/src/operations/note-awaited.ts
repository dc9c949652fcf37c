import { arrayOf } from "../array-parameter.ts";
import type { AwaitedChain, CallOptions } from "chainwright/adapter";
import { chainColumns, chainRecordOf } from "../rows.ts";
import type { Store } from "../store.ts";

/**
 * Reads chains, and notes on the rows of active ones that a process awaits them. The lock on the row orders the note and the end
 * of the chain: the end sees the note, or this call does not note the chain. A chain whose row is locked is skipped, because its
 * end may be under way. The commit does not wait for the disk: a note that a crash loses costs time only.
 */
export async function noteAwaited<Tx>(
  { schema, run }: Store<Tx>,
  ids: readonly string[],
  { tx }: CallOptions<Tx>,
): Promise<readonly AwaitedChain[]> {
  if (ids.length === 0) return [];
  const { quoted: s } = schema;
  const text = `with free as materialized (
  select j.id from ${s}.job j where j.id = any($1::text::uuid[]) and j.chain_status = 0 and not j.awaited
  order by j.id for no key update skip locked),
noted as (
  update ${s}.job j set awaited = true
  from free, (select set_config('synchronous_commit', 'off', true)) soon
  where j.id = any(array[free.id]) returning j.id)
select ${chainColumns(schema)}, (f.chain_status = 0 and (f.awaited or n.id is not null))::text as is_noted
from ${s}.job f left join ${s}.job e on e.id = any(array[f.ended_job_id]) left join noted n on n.id = f.id
where f.id = any($1::text::uuid[]) and f.chain_status is not null`;
  const rows = await run(tx, { text, parameters: [arrayOf(ids)], prepare: true });
  const found = new Map(
    rows.map((row) => {
      const chain = chainRecordOf(row);
      return [chain.id, { chain, isNoted: row.at(-1) === "true" }];
    }),
  );
  return ids.map((id) => found.get(id) ?? { chain: undefined, isNoted: false });
}
