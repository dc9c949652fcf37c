import type { JobQuery } from "chainwright/adapter";
import { where, whereOneOf, whereWithin, type Filter } from "../operations/filter.ts";

/**
 * Only jobs that have failed, of a kind and since a moment. Their ids are taken from the table of failures as an array: for a condition
 * with `in` the planner walked through all jobs in the order of their ids. Without other filters the ids of the page are enough.
 */
export function whereFailed(filter: Filter, s: string, query: JobQuery): void {
  const { failures, order, limit, typeNames } = query;
  if (failures === undefined) return;
  const found: Filter = { conditions: [], parameters: filter.parameters };
  where(found, String(failures.since ?? "-Infinity"), (place) => `k.failed_at >= ${place}::double precision`);
  if (failures.kind !== undefined) where(found, failures.kind, (place) => `k.kind = ${place}`);
  whereOneOf(found, "k.type_name", typeNames);
  whereWithin(found, "k.job_id", query);
  const ofPage = isFiltered(query) ? "" : ` order by k.job_id ${order === "ascending" ? "asc" : "desc"} limit ${limit}`;
  const ids = `select k.job_id from ${s}.failure k where ${found.conditions.join(" and ")}${ofPage}`;
  filter.conditions.push(`j.id = any(array(${ids}))`);
}

/** Whether a failure may not be on the page although it is of the kind and type. */
function isFiltered({ statuses, ids, createdFrom, createdBefore, errorText, blockedBy, newestOf, chainId }: JobQuery) {
  const others = [ids, createdFrom, createdBefore, errorText, blockedBy, newestOf, chainId];
  return others.some((each) => each !== undefined) || statuses?.includes("failed") === false;
}
