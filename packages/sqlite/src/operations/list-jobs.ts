import type { JobQuery, JobRecord } from "chainwright/adapter";
import { jobRecord } from "../result-rows.ts";
import type { JobRow } from "../result-rows.ts";
import type { Store } from "../store.ts";
import { ofFailures } from "../failures/of-failures.ts";
import { jobStatus, selectJobs } from "./get-jobs.ts";
import { createNarrow } from "./narrow-by-status.ts";
import { containing, createFilter, paged, within } from "./page.ts";
import { createPageOfSteps } from "./page-of-steps.ts";
import { createStatements } from "./statements.ts";

export function createListJobs(store: Store): (query: JobQuery, now: number) => readonly JobRecord[] {
  const { tables: t } = store;
  const pageOfSteps = createPageOfSteps(store);
  const narrow = createNarrow(store);
  const statement = createStatements<JobRow>(store);
  return (query, now) => {
    const filter = createFilter("true");
    within(filter, "j.type_name", query.typeNames);
    within(filter, "j.id", query.ids);
    if (query.statuses !== undefined) {
      const statuses = JSON.stringify(query.statuses);
      filter.and(`${jobStatus} in (select value from json_each(?))`, now, now, statuses);
    }
    // A chain, a blocker or ids match fewer rows than a status.
    if ((query.chainId ?? query.blockedBy ?? query.ids ?? query.newestOf) === undefined)
      narrow.jobs(filter, query.statuses);
    if (query.newestOf !== undefined) {
      filter.and(
        `j.seq in (select coalesce((select s.seq from ${t.job} s where s.chain = c.seq order by s.step desc limit 1), c.seq)
           from ${t.job} c where c.chain is null and c.id in (select value from json_each(?)))`,
        JSON.stringify(query.newestOf),
      );
    }
    if (query.blockedBy !== undefined) {
      filter.and(
        `j.seq in (select job from ${t.blocker} where chain = (select seq from ${t.job} where id = ? and chain is null))`,
        query.blockedBy,
      );
    }
    if (query.until !== undefined) filter.and(`j.id ${query.order === "ascending" ? "<=" : ">="} ?`, query.until);
    if (query.createdFrom !== undefined) filter.and("j.created_at >= ?", query.createdFrom);
    if (query.createdBefore !== undefined) filter.and("j.created_at < ?", query.createdBefore);
    ofFailures(filter, t, query);
    containing(filter, "j.errors", query.errorText);
    const { chainId } = query;
    const page = chainId === undefined ? paged(filter, "j.id", query) : pageOfSteps(filter, { ...query, chainId });
    return statement(`${selectJobs(t, query)} where ${filter.text} ${page}`)
      .all(now, now, ...filter.parameters, query.limit)
      .map(jobRecord);
  };
}
