import type { ChainStatus, JobStatus } from "../../../src/protocol/views.ts";
import type { Params } from "../routing/place.ts";

/** The filters of the list. They are in the address, so a view can be shared as a link. */
export interface ChainFilters {
  /** Of the chain, or of the step where it is. */
  readonly status: ListedStatus | undefined;
  /** The type with which chains began. */
  readonly typeName: string;
  /** The type of the step where they are. */
  readonly stepType: string;
  /** The id of the worker that runs the step. */
  readonly worker: string;
  readonly id: string;
  readonly errorText: string;
  /** As `name=value`. */
  readonly tag: string;
  /** A deduplication key. */
  readonly key: string;
  /** A value in the chain's input, as `path=value`. */
  readonly input: string;
  /** Milliseconds since 1970. */
  readonly from: number | undefined;
  readonly until: number | undefined;
  readonly order: "newest" | "oldest";
  readonly cursor: string | undefined;
}

type OpenStatus = Exclude<JobStatus, ChainStatus>;
export type ListedStatus = ChainStatus | OpenStatus;

const chainStatuses: readonly ChainStatus[] = ["active", "completed", "failed", "cancelled"];
const openStatuses: readonly OpenStatus[] = ["running", "ready", "scheduled", "blocked", "waiting"];
export const listedStatuses: readonly ListedStatus[] = ["active", ...openStatuses, "completed", "failed", "cancelled"];

export function filtersOf(params: URLSearchParams): ChainFilters {
  return {
    status:
      chainStatuses.find((status) => status === params.get("status")) ??
      openStatuses.find((status) => status === params.get("step")),
    stepType: params.get("stepType") ?? "",
    typeName: params.get("typeName") ?? "",
    worker: params.get("worker") ?? "",
    id: params.get("id") ?? "",
    errorText: params.get("errorText") ?? "",
    tag: params.get("tag") ?? "",
    key: params.get("key") ?? "",
    input: params.get("input") ?? "",
    from: momentOf(params.get("from")),
    until: momentOf(params.get("until")),
    order: params.get("order") === "oldest" ? "oldest" : "newest",
    cursor: params.get("cursor") ?? undefined,
  };
}

/** The filters as parameters of an address or a request. */
export function paramsOf({ from, until, order, status, ...rest }: ChainFilters): Params {
  return {
    ...rest,
    status: chainStatuses.find((each) => each === status),
    step: openStatuses.find((each) => each === status),
    from: from === undefined ? undefined : String(from),
    until: until === undefined ? undefined : String(until),
    order: order === "newest" ? undefined : order,
  };
}

export function isFiltered({
  status,
  typeName,
  stepType,
  worker,
  id,
  errorText,
  tag,
  key,
  input,
  from,
  until,
}: ChainFilters): boolean {
  return (
    status !== undefined ||
    typeName !== "" ||
    stepType !== "" ||
    worker !== "" ||
    id !== "" ||
    errorText !== "" ||
    tag !== "" ||
    key !== "" ||
    input !== "" ||
    from !== undefined ||
    until !== undefined
  );
}

/** Whether a text is an id, or at least the first four characters of one. */
export function isIdPrefix(text: string): boolean {
  const anyId = "00000000-0000-0000-0000-000000000000";
  const isId = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text + anyId.slice(text.length));
  return isId && text.length >= 4;
}

/** Whether a text is a path and a value. */
export function isInput(text: string): boolean {
  return /^[^=]+=/.test(text);
}

/** Whether a text is a whole tag: the server finds only exact ones. */
export function isTag(text: string): boolean {
  return /^[^=]+=./s.test(text);
}

function momentOf(text: string | null): number | undefined {
  const moment = text === null || text === "" ? Number.NaN : Number(text);
  return Number.isFinite(moment) ? moment : undefined;
}
