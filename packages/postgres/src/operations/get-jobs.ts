import { arrayOf } from "../array-parameter.ts";
import type { CallOptions, JobRecord } from "chainwright/adapter";
import { jobRecordOf, selectJobs } from "../rows.ts";
import { momentParameter, type Store } from "../store.ts";

export async function getJobs<Tx>(
  { schema, run }: Store<Tx>,
  ids: readonly string[],
  { tx, now }: CallOptions<Tx>,
): Promise<readonly (JobRecord | undefined)[]> {
  if (ids.length === 0) return [];
  const text = `${selectJobs(schema, "$1")} where j.id = any($2::text::uuid[])`;
  const rows = await run(tx, { text, parameters: [momentParameter(now), arrayOf(ids)], prepare: true });
  const records = new Map(rows.map(jobRecordOf).map((record) => [record.id, record]));
  return ids.map((id) => records.get(id));
}
