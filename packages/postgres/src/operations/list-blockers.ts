import type { BlockerQuery, BlockerRecord, CallOptions } from "chainwright/adapter";
import { arrayOf } from "../array-parameter.ts";
import { chainColumns, chainRecordOf, codeOf } from "../rows.ts";
import type { Store } from "../store.ts";

export async function listBlockers<Tx>(
  { schema, run }: Store<Tx>,
  query: BlockerQuery,
  { tx }: CallOptions<Tx>,
): Promise<readonly BlockerRecord[]> {
  const { jobId, afterPosition, limit, statuses } = query;
  const { quoted: s } = schema;
  const ofStatus = statuses === undefined ? "" : " and f.chain_status = any($4::text::smallint[])";
  const among = statuses === undefined ? "" : ` join ${s}.job f on f.id = b.chain_id`;
  const text = `select ${chainColumns(schema, query)}, b.position, b.job_id
from unnest($1::text::uuid[]) asked(id) cross join lateral (
  select b.job_id, b.chain_id, b.position from ${s}.blocker b${among}
  where b.job_id = asked.id and b.position > $2::text::integer${ofStatus} order by b.position limit $3::text::bigint) b
join ${s}.job f on f.id = b.chain_id left join ${s}.job e on e.id = f.ended_job_id
order by b.job_id, b.position`;
  const parameters = [
    arrayOf([jobId].flat()),
    String(afterPosition ?? -1),
    String(limit),
    ...(statuses === undefined ? [] : [arrayOf(statuses.map(codeOf))]),
  ];
  const rows = await run(tx, { text, parameters, prepare: true });
  return rows.map((row) => ({ jobId: String(row.at(-1)), position: Number(row.at(-2)), chain: chainRecordOf(row) }));
}
