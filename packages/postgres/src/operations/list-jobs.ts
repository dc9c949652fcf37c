import { arrayOf } from "../array-parameter.ts";
import type { JobStatus } from "chainwright";
import { openJobStatuses, type CallOptions, type JobQuery, type JobRecord } from "chainwright/adapter";
import { whereFailed } from "../failures/where-failed.ts";
import { jobRecordOf, jobStatus, selectJobs } from "../rows.ts";
import { momentParameter, type Store } from "../store.ts";
import { areStopped, page, where, whereCreated, whereOneOf, type Filter } from "./filter.ts";

const isOpen = (status: JobStatus): boolean => openJobStatuses.includes(status);

/** Not prepared: the best plan depends on which filters are given, and on how many rows they select. */
export async function listJobs<Tx>(
  { schema, run }: Store<Tx>,
  query: JobQuery,
  { tx, now }: CallOptions<Tx>,
): Promise<readonly JobRecord[]> {
  const s = schema.quoted;
  const filter: Filter = { conditions: [], parameters: [momentParameter(now)] };
  whereOneOf(filter, "j.type_name", query.typeNames);
  whereStatus(filter, s, query.statuses);
  if (query.ids !== undefined) {
    // The planner does not derive the second one, and began with all open jobs.
    const tables = areOpen(query.statuses) ? ["j.id", "o.job_id"] : ["j.id"];
    where(filter, arrayOf(query.ids), (place) => tables.map((id) => `${id} = any(${place}::uuid[])`).join(" and "));
  }
  if (query.chainId !== undefined && isFiltered(query)) {
    where(
      filter,
      query.chainId,
      (place) => `(j.id = ${place}::uuid and j.step = 1 or j.chain_id = ${place}::uuid and j.step > 1)`,
    );
  }
  if (query.newestOf !== undefined) {
    // A long chain costs as much as a short one: its newest step is at the end of an index.
    where(
      filter,
      arrayOf(query.newestOf),
      (place) => `j.id in (select coalesce((select l.id from ${s}.job l where l.chain_id = c.id and l.step > 1
        order by l.step desc limit 1), c.id) from unnest(${place}::uuid[]) c(id)) and j.chain_id = any(${place}::uuid[])`,
    );
  }
  if (query.blockedBy !== undefined) {
    where(
      filter,
      query.blockedBy,
      (place) => `j.id in (select b.job_id from ${s}.blocker b where b.chain_id = ${place}::uuid)`,
    );
  }
  whereFailed(filter, s, query);
  whereCreated(filter, "j.created_at", query);
  if (query.errorText !== undefined) where(filter, query.errorText, (place) => `position(${place} in j.errors) > 0`);
  const isOfOpen = isOfOpenJobs(query);
  const id = isOfOpen ? "o.job_id" : "j.id";
  const rest = query.chainId === undefined ? page(filter, id, query) : pageOfChain(filter, s, query);
  const text = `${selectJobs(schema, "$1", query, isOfOpen)} ${rest}`;
  const rows = await run(tx, { text, parameters: filter.parameters, prepare: false });
  return rows.map(jobRecordOf);
}

/** The jobs of one chain are in the order of their steps, but `after` is a job's id. */
function pageOfChain(filter: Filter, s: string, query: JobQuery): string {
  const { after } = query;
  if (!isFiltered(query)) whereOnPage(filter, s, query);
  else if (after !== undefined) {
    const beyond = query.order === "ascending" ? ">" : "<";
    where(filter, after, (place) => `j.step ${beyond} (select a.step from ${s}.job a where a.id = ${place}::uuid)`);
  }
  return page(filter, "j.step", { ...query, after: undefined, until: undefined });
}

function isFiltered({ typeNames, statuses, ids, createdFrom, createdBefore, errorText }: JobQuery): boolean {
  return (typeNames ?? statuses ?? ids ?? createdFrom ?? createdBefore ?? errorText) !== undefined;
}

/** Without filters, the rows of the page are taken from the index: of a chain with ten thousand steps no others are read. */
function whereOnPage(filter: Filter, s: string, { chainId = "", after, order, limit }: JobQuery): void {
  const isAscending = order === "ascending";
  filter.parameters.push(chainId, String(limit));
  const [chain, most] = [filter.parameters.length - 1, filter.parameters.length].map((place) => `$${place}::text`);
  let beyond = "";
  if (after !== undefined) {
    filter.parameters.push(after);
    const place = `$${filter.parameters.length}::text::uuid`;
    beyond = ` and step ${isAscending ? ">" : "<"} (select a.step from ${s}.job a where a.id = ${place})`;
  }
  const rest = `order by step ${isAscending ? "asc" : "desc"} limit ${most}::bigint`;
  filter.conditions.push(`j.id = any(array(select x.id from (
    (select id, step from ${s}.job where id = ${chain}::uuid and step = 1${beyond})
    union all (select id, step from ${s}.job where chain_id = ${chain}::uuid and step > 1${beyond} ${rest})) x ${rest}))`);
}

function areOpen(statuses: readonly JobStatus[] | undefined): boolean {
  return statuses?.every(isOpen) === true;
}

/** Whether it asks for open jobs that nothing selects by their ids or those of chains. */
function isOfOpenJobs({ statuses, ids, chainId, newestOf, blockedBy, failures }: JobQuery): boolean {
  return areOpen(statuses) && (ids ?? chainId ?? newestOf ?? blockedBy ?? failures) === undefined;
}

function whereStatus(filter: Filter, s: string, statuses: readonly JobStatus[] | undefined): void {
  if (statuses === undefined) return;
  whereOneOf(filter, `(${jobStatus("moment.now")})`, statuses);
  // There are few open jobs, so the plan may begin with them.
  if (areOpen(statuses)) filter.conditions.push("o.job_id is not null");
  else if (areStopped(statuses)) filter.conditions.push(`j.id in (select k.job_id from ${s}.stopped k)`);
  else if (!statuses.some(isOpen)) filter.conditions.push("j.status > 0");
}
