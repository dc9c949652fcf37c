import type { BlockerCountQuery, BlockerCounts, CallOptions } from "chainwright/adapter";
import type { Store } from "../store.ts";

export async function countBlockers<Tx>(
  { schema: { quoted: s }, run }: Store<Tx>,
  { of, id }: BlockerCountQuery,
  { tx }: CallOptions<Tx>,
): Promise<BlockerCounts | undefined> {
  const newest = `coalesce(
  (select n.id from ${s}.job n where n.chain_id = $1::text::uuid and n.step > 1 order by n.step desc limit 1),
  (select c.id from ${s}.job c where c.id = $1::text::uuid and c.chain_status is not null))`;
  const text = `select count(b.chain_id), count(b.chain_id) filter (where f.chain_status = 1), count(b.chain_id) filter (where f.chain_status > 1)
from ${s}.open_job o
left join lateral (select distinct b.chain_id from ${s}.blocker b where b.job_id = o.job_id) b on true
left join ${s}.job f on f.id = b.chain_id
where o.job_id = ${of === "chain" ? newest : "$1::text::uuid"} and o.state = 2
group by o.job_id`;
  const [row] = await run(tx, { text, parameters: [id], prepare: true });
  return row && { total: Number(row[0]), completed: Number(row[1]), failed: Number(row[2]) };
}
