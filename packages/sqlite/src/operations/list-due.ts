import type { DueQuery, JobRecord } from "chainwright/adapter";
import { scheduledNames } from "../claim-names.ts";
import { jobRecord } from "../result-rows.ts";
import type { JobRow } from "../result-rows.ts";
import type { Store } from "../store.ts";
import { selectJobs } from "./get-jobs.ts";
import { createFilter } from "./page.ts";
import { createStatements } from "./statements.ts";

export function createListDue(store: Store): (query: DueQuery, now: number) => readonly JobRecord[] {
  const named = scheduledNames(store.tables);
  const statement = createStatements<JobRow>(store);
  return (query, now) => {
    const { typeNames, after, limit } = query;
    const filter = createFilter("o.state = 1 and o.waits is null");
    filter.and("o.due_at > ?", now);
    if (typeNames !== undefined) filter.and(`o.type_name in (${named})`, JSON.stringify(typeNames));
    if (after !== undefined) {
      filter.and("o.due_at >= ?", after.dueAt);
      filter.and("(o.due_at > ? or j.id > ?)", after.dueAt, after.id);
    }
    return statement(`${selectJobs(store.tables, query)} where ${filter.text} order by o.due_at, j.id limit ?`)
      .all(now, now, ...filter.parameters, limit)
      .map(jobRecord);
  };
}
