import type { JobQuery } from "chainwright/adapter";
import { createFilter, paged, within, type Filter } from "../operations/page.ts";
import type { Tables } from "../schema.ts";

/**
 * Only jobs that have failed, of a kind and since a moment. Without other filters the ids of the page are taken from the table of
 * failures: of a hundred thousand with one kind only those of the page are read.
 */
export function ofFailures(filter: Filter, t: Tables, query: JobQuery): void {
  const { failures, typeNames, limit } = query;
  if (failures === undefined) return;
  const { kind, since } = failures;
  // A process of the release before may have left rows of jobs that it retried or deleted.
  const found = createFilter(`exists (select 1 from ${t.job} o where o.seq = f.job and o.status = 'failed')`);
  if (kind !== undefined) found.and("f.kind = ?", kind);
  if (since !== undefined) found.and("f.failed_at >= ?", since);
  within(found, "f.type_name", typeNames);
  const ofPage = isFiltered(query) ? "" : paged(found, "f.id", query);
  filter.and(
    `j.id in (select f.id from ${t.failure} f where ${found.text} ${ofPage})`,
    ...found.parameters,
    ...(ofPage === "" ? [] : [limit]),
  );
}

/** Whether a failure may not be on the page although it is of the kind and type. */
function isFiltered(query: JobQuery): boolean {
  const { statuses, ids, createdFrom, createdBefore, errorText, blockedBy, newestOf, chainId, until } = query;
  const others = [ids, createdFrom, createdBefore, errorText, blockedBy, newestOf, chainId, until];
  return others.some((each) => each !== undefined) || statuses?.includes("failed") === false;
}
