import type { CallOptions, FailureGroupsReply, FailureQuery } from "chainwright/adapter";
import { wholeMs } from "../rows.ts";
import type { Store } from "../store.ts";

/** The groups are counted from the index alone; the newest of a group is looked up in it only for those that are returned. */
export async function groupFailures<Tx>(
  { schema: { quoted: s }, run }: Store<Tx>,
  { typeNames, since, limit }: FailureQuery,
  { tx }: CallOptions<Tx>,
): Promise<FailureGroupsReply> {
  const types = typeNames === undefined ? null : JSON.stringify(typeNames);
  const text = `with grouped as (
  select k.type_name, k.kind, count(*) as count, min(k.failed_at) as first_at, max(k.failed_at) as last_at
  from ${s}.failure k
  where k.failed_at >= $1::text::double precision
    and ($2::text is null or k.type_name = any(array(select json_array_elements_text($2::text::json))))
  group by k.type_name, k.kind),
largest as (
  select g.*, count(*) over () as groups, sum(g.count) over () as failures from grouped g
  order by g.count desc, g.last_at desc, g.type_name, g.kind limit $3::text::bigint)
select l.type_name, l.kind, l.count::text, ${wholeMs("l.first_at")}, ${wholeMs("l.last_at")}, (
    select k.job_id from ${s}.failure k
    where k.failed_at = l.last_at and k.type_name = l.type_name and k.kind = l.kind order by k.job_id desc limit 1)::text,
  l.groups::text, l.failures::text
from largest l order by l.count desc, l.last_at desc, l.type_name, l.kind`;
  const rows = await run(tx, {
    text,
    parameters: [String(since ?? "-Infinity"), types, String(limit)],
    prepare: false,
  });
  return {
    groups: rows.map((row) => ({
      typeName: String(row[0]),
      kind: String(row[1]),
      count: Number(row[2]),
      firstAt: Number(row[3]),
      lastAt: Number(row[4]),
      newestJobId: String(row[5]),
    })),
    groupCount: Number(rows[0]?.[6] ?? 0),
    failureCount: Number(rows[0]?.[7] ?? 0),
  };
}
