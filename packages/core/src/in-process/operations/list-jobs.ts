import type { JobRecord } from "../../model/record.ts";
import type { JobQuery } from "../../ports/query.ts";
import { nothing } from "../../rules/replies.ts";
import { isFailure } from "../failures.ts";
import { omitPayloads } from "../omit-payloads.ts";
import { toJobRecord } from "../records.ts";
import { chainOf, lastOf, statusAt } from "../row-types.ts";
import type { JobRow } from "../row-types.ts";
import { pageOf, pageSorted } from "../sorted-rows.ts";
import type { Store } from "../store.ts";

export function listJobs(store: Store, query: JobQuery, now: number): readonly JobRecord[] {
  return rowsOf(store, query, filterOf(query, now)).map((row) => omitPayloads(toJobRecord(row, now), query));
}

function rowsOf(store: Store, query: JobQuery, accept: (row: JobRow) => boolean): readonly JobRow[] {
  if (query.chainId !== undefined) return pageOfSteps(jobsOf(store.jobs.get(query.chainId)), query, accept);
  const few = fewCandidates(store, query);
  return few === undefined ? pageSorted(store.jobsById, query, accept) : pageOf(few, query, accept);
}

/** A page of a chain's steps; `after` names one of them, and nothing follows a job that is none. */
function pageOfSteps(steps: JobRow[], { after, limit, order }: JobQuery, accept: (row: JobRow) => boolean): JobRow[] {
  if (order === "descending") steps.reverse();
  const place = after === undefined ? -1 : steps.findIndex(({ id }) => id === after);
  if (after !== undefined && place < 0) return [];
  return steps
    .slice(place + 1)
    .filter(accept)
    .slice(0, limit);
}

function filterOf(query: JobQuery, now: number): (row: JobRow) => boolean {
  const { statuses, createdFrom, createdBefore, errorText, chainId, blockedBy, until, order } = query;
  const types = query.typeNames && new Set(query.typeNames);
  const ids = query.ids && new Set(query.ids);
  return (row) =>
    (types === undefined || types.has(row.lane.type.name)) &&
    (statuses === undefined || statuses.includes(statusAt(row, now))) &&
    (until === undefined || (order === "ascending" ? row.id <= until : row.id >= until)) &&
    (createdFrom === undefined || row.createdAt >= createdFrom) &&
    (createdBefore === undefined || row.createdAt < createdBefore) &&
    (chainId === undefined || chainOf(row).id === chainId) &&
    (ids === undefined || ids.has(row.id)) &&
    (blockedBy === undefined || row.blocking?.chains.some((chain) => chain?.id === blockedBy) === true) &&
    (errorText === undefined || (row.errors ?? "").includes(errorText)) &&
    (query.failures === undefined || isFailure(row, query.failures));
}

/** The rows that a query is about, where it names them: undefined, all may be. */
function fewCandidates(store: Store, { ids, blockedBy, newestOf }: JobQuery): Iterable<JobRow> | undefined {
  if (newestOf !== undefined) return [...new Set(newestOf)].flatMap((id) => newestJobOf(store.jobs.get(id)) ?? nothing);
  if (ids !== undefined) return [...new Set(ids)].flatMap((id) => store.jobs.get(id) ?? nothing);
  if (blockedBy !== undefined) return store.jobs.get(blockedBy)?.shared?.dependents ?? nothing;
  return undefined;
}

function newestJobOf(first: JobRow | undefined): JobRow | undefined {
  return first?.step === 1 ? lastOf(first) : undefined;
}

function jobsOf(first: JobRow | undefined): JobRow[] {
  const rows: JobRow[] = [];
  for (let row = first; row !== undefined; row = row.next) rows.push(row);
  return rows;
}
