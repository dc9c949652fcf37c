import { scheduledNames } from "../claim-names.ts";
import type { CallOptions, DueQuery, JobRecord } from "chainwright/adapter";
import { jobRecordOf, momentOf, selectJobs } from "../rows.ts";
import { momentParameter, type Store } from "../store.ts";
import { where, type Filter } from "./filter.ts";

export async function listDue<Tx>(
  { schema, run }: Store<Tx>,
  query: DueQuery,
  { tx, now }: CallOptions<Tx>,
): Promise<readonly JobRecord[]> {
  const { typeNames, after, limit } = query;
  const filter: Filter = {
    conditions: ["o.state = 1", "o.due_at > moment.now", "o.waits is not true"],
    parameters: [momentParameter(now)],
  };
  if (typeNames !== undefined)
    where(filter, JSON.stringify(typeNames), (place) => `o.type_name = any(${scheduledNames(schema.quoted, place)})`);
  if (after !== undefined) {
    where(filter, String(after.dueAt), (place) => `o.due_at >= ${place}::double precision`);
    filter.parameters.push(after.id);
    const [dueAt, id] = [filter.parameters.length - 1, filter.parameters.length];
    filter.conditions.push(`(o.due_at > $${dueAt}::text::double precision or o.job_id > $${id}::text::uuid)`);
  }
  filter.parameters.push(String(limit));
  // The page is chosen by itself, because the planner would look up all scheduled jobs and sort them if it believes that there are few.
  const found = `select o.job_id from (select ${momentOf("$1")} as now) moment, ${schema.quoted}.open_job o
where ${filter.conditions.join(" and ")} order by o.due_at, o.job_id limit $${filter.parameters.length}::text::bigint`;
  const text = `${selectJobs(schema, "$1", query, true)} where o.job_id = any(array(${found})) order by o.due_at, o.job_id`;
  const rows = await run(tx, { text, parameters: filter.parameters, prepare: false });
  return rows.map(jobRecordOf);
}
