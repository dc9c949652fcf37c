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
  const text = `select ${chainColumns(schema, query)}, b.position
from ${s}.blocker b join ${s}.job f on f.id = b.chain_id left join ${s}.job e on e.id = f.ended_job_id
where b.job_id = $1::text::uuid and b.position > $2::text::integer${ofStatus} order by b.position limit $3::text::bigint`;
  const parameters = [
    jobId,
    String(afterPosition ?? -1),
    String(limit),
    ...(statuses === undefined ? [] : [arrayOf(statuses.map(codeOf))]),
  ];
  const rows = await run(tx, { text, parameters, prepare: true });
  return rows.map((row) => ({ position: Number(row.at(-1)), chain: chainRecordOf(row) }));
}
