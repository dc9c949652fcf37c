import {
  checkId,
  checkInteger,
  checkKeys,
  checkMoment,
  checkName,
  checkText,
  invalid,
  isList,
  show,
} from "../checks/check-options.ts";
import { checkTags } from "../checks/tags.ts";
import type { JobRecord } from "../model/record.ts";
import type { ChainQuery, DueQuery, JobQuery, PageQuery } from "../ports/query.ts";
import { allJobStatuses, type ChainStatus, type JobStatus } from "../model/status.ts";
import type {
  FilterOptions,
  InTransaction,
  LabelOptions,
  NewestOfChains,
  PageOptions,
  PayloadOptions,
  SearchOptions,
  TypeFilter,
} from "../types/list-options.ts";
import type { FailureFilter } from "../types/failure-groups.ts";
import { keyQuery } from "./stored-key.ts";

/** The options of a list that filters a history, for any types. */
export type ListOptions<Status extends string> = TypeFilter<string> &
  FilterOptions<Status> &
  PayloadOptions &
  SearchOptions &
  InTransaction<unknown>;

/** The options of a list of chains. */
export type ChainListOptions = ListOptions<ChainStatus> & LabelOptions;

/** The options of a list of jobs. */
export type JobListOptions = ListOptions<JobStatus> & NewestOfChains & FailureFilter;

/** The options of a list of scheduled jobs, for any types. */
export type DueOptions = TypeFilter<string> & PageOptions & PayloadOptions & InTransaction<unknown>;

/** For lists that filter a whole history. */
const searchKeys = {
  cursor: true,
  limit: true,
  order: true,
  typeName: true,
  status: true,
  ids: true,
  createdFrom: true,
  createdBefore: true,
  errorText: true,
  mostPayloadBytes: true,
  maxScanned: true,
  tx: true,
} satisfies Record<keyof ListOptions<string>, true>;
const chainKeys = { ...searchKeys, tags: true, deduplicationKey: true } satisfies Record<keyof ChainListOptions, true>;
const jobKeys = { ...searchKeys, newestOf: true, failureKind: true, failedSince: true } satisfies Record<
  keyof JobListOptions,
  true
>;
const { maxScanned: _, ...filterKeys } = searchKeys;
const dueKeys = {
  typeName: true,
  cursor: true,
  limit: true,
  mostPayloadBytes: true,
  tx: true,
} satisfies Record<keyof DueOptions, true>;
const chainStatuses: readonly ChainStatus[] = ["active", "completed", "failed", "cancelled"];
const defaultLimit = 50;
const largestLimit = 1_000;

/** The filters of a list of jobs that filters nothing. */
export const everyJob = {
  after: undefined,
  order: "ascending",
  typeNames: undefined,
  statuses: undefined,
  ids: undefined,
  createdFrom: undefined,
  createdBefore: undefined,
  errorText: undefined,
  chainId: undefined,
  blockedBy: undefined,
} as const satisfies Omit<JobQuery, "limit">;

export function checkLimit(limit: number | undefined): number {
  return checkInteger(limit ?? defaultLimit, "limit", { min: 1, max: largestLimit });
}

/** Asks for one row more, which shows whether another page follows. */
function checkPage({ cursor, limit, order = "newest" }: ListOptions<string>): PageQuery {
  if (order !== "newest" && order !== "oldest")
    throw invalid(`order must be "newest" or "oldest"; got ${show(order)}.`);
  return {
    after: cursor === undefined ? undefined : checkId(cursor, "cursor"),
    limit: checkLimit(limit) + 1,
    order: order === "newest" ? "descending" : "ascending",
  };
}

export function checkChainQuery(options: ChainListOptions, what: string): ChainQuery {
  checkKeys(options, chainKeys, what);
  const { tags, deduplicationKey: key, status } = options;
  const filter = checkFilter(options);
  return {
    ...checkPage(options),
    ...filter,
    statuses: checkChainStatuses(status, "status"),
    tags: tags === undefined ? undefined : checkTags(tags),
    key: key === undefined ? undefined : keyQuery(filter.typeNames, checkName(key, "deduplicationKey")),
  };
}

export function checkJobQuery(
  options: JobListOptions,
  what: string,
  within: { readonly chainId?: string; readonly blockedBy?: string },
): JobQuery {
  checkKeys(options, within.chainId === undefined && within.blockedBy === undefined ? jobKeys : filterKeys, what);
  return {
    ...checkPage(options),
    ...checkFilter(options),
    statuses: checkJobStatuses(options.status),
    chainId: within.chainId,
    blockedBy: within.blockedBy,
    newestOf: listOf(options.newestOf)?.map((id) => checkId(id, "newestOf")),
  };
}

export function checkMaxScanned({ maxScanned }: SearchOptions): number | undefined {
  return maxScanned === undefined ? undefined : checkInteger(maxScanned, "maxScanned", { min: 1, max: 2 ** 31 });
}

/** A cursor of scheduled jobs has a due time, and the id of a job that is due then. */
export function checkDueQuery(options: DueOptions): DueQuery {
  checkKeys(options, dueKeys, "listScheduledJobs");
  const [dueAt = "", id] = options.cursor?.split("_") ?? [];
  return {
    typeNames: typeNamesOf(options),
    after:
      options.cursor === undefined
        ? undefined
        : { dueAt: checkMoment(dueAt === "" ? undefined : Number(dueAt), "cursor"), id: checkId(id, "cursor") },
    limit: checkLimit(options.limit) + 1,
    mostPayloadBytes: checkPayloadBytes(options),
  };
}

export function checkPayloadBytes({ mostPayloadBytes }: PayloadOptions): number | undefined {
  if (mostPayloadBytes === undefined) return undefined;
  return checkInteger(mostPayloadBytes, "mostPayloadBytes", { min: 0, max: 2 ** 31 - 1 });
}

export function dueCursor({ scheduledAt, id }: JobRecord): string {
  return `${scheduledAt ?? 0}_${id}`;
}

function checkFilter(
  options: ListOptions<string>,
): Pick<ChainQuery, "typeNames" | "ids" | "createdFrom" | "createdBefore" | "errorText" | "mostPayloadBytes"> {
  const { ids, createdFrom, createdBefore, errorText } = options;
  return {
    typeNames: typeNamesOf(options),
    mostPayloadBytes: checkPayloadBytes(options),
    ids: listOf(ids)?.map((id) => checkId(id, "ids")),
    createdFrom: createdFrom === undefined ? undefined : checkMoment(createdFrom, "createdFrom"),
    createdBefore: createdBefore === undefined ? undefined : checkMoment(createdBefore, "createdBefore"),
    // Errors are stored as JSON text, so the text to find has to be escaped as in JSON.
    errorText:
      errorText === undefined ? undefined : JSON.stringify(checkText(errorText, "errorText", 1_000)).slice(1, -1),
  };
}

export function typeNamesOf({ typeName }: TypeFilter<string>): readonly string[] | undefined {
  return listOf(typeName)?.map((name) => checkText(name, "typeName", 1_000));
}

function listOf<T extends string>(value: T | readonly T[] | undefined): readonly T[] | undefined {
  if (value === undefined || isList(value)) return value;
  return [value];
}

export function checkChainStatuses(
  value: ChainStatus | readonly ChainStatus[] | undefined,
  name: string,
): readonly ChainStatus[] | undefined {
  return oneOf(chainStatuses, value, name);
}

export function checkJobStatuses(
  value: JobStatus | readonly JobStatus[] | undefined,
): readonly JobStatus[] | undefined {
  return oneOf(allJobStatuses, value, "status");
}

function oneOf<T extends string>(
  known: readonly T[],
  value: T | readonly T[] | undefined,
  name: string,
): readonly T[] | undefined {
  const list = listOf(value);
  const unknown = list?.find((status) => !known.includes(status));
  if (unknown === undefined) return list;
  throw invalid(`${name} must be one of ${known.join(", ")}; got ${show(unknown)}.`);
}
