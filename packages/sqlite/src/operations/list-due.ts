import type { DueQuery, JobRecord } from "chainwright/adapter";
import { jobRecord } from "../result-rows.ts";
import type { JobRow } from "../result-rows.ts";
import type { Store } from "../store.ts";
import { selectJobs } from "./get-jobs.ts";
import { createFilter, within } from "./page.ts";
import { createStatements } from "./statements.ts";

export function createListDue(store: Store): (query: DueQuery, now: number) => readonly JobRecord[] {
  const select = selectJobs(store.tables);
  const statement = createStatements<JobRow>(store);
  return ({ typeNames, after, limit }, now) => {
    const filter = createFilter("o.state = 1");
    filter.and("o.due_at > ?", now);
    within(filter, "o.type_name", typeNames);
    if (after !== undefined) {
      filter.and("o.due_at >= ?", after.dueAt);
      filter.and("(o.due_at > ? or j.id > ?)", after.dueAt, after.id);
    }
    return statement(`${select} where ${filter.text} order by o.due_at, j.id limit ?`)
      .all(now, now, ...filter.parameters, limit)
      .map(jobRecord);
  };
}
