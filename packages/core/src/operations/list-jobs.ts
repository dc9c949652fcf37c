import type { JobStatus } from "../model/status.ts";
import { checkId, type OptionKeys } from "../checks/check-options.ts";
import type { StoreAccess } from "../engine/engine.ts";
import { failuresOf } from "./group-failures.ts";
import {
  checkDueQuery,
  checkJobQuery,
  dueCursor,
  type DueOptions,
  type JobListOptions,
  type ListOptions,
} from "./list-queries.ts";
import { listedView } from "./listed-view.ts";
import { pageOf, pageUntil, searchEnd } from "./pages.ts";
import type { ByChainId, Page } from "../types/list-options.ts";
import { checkChainKeys, isReadValue } from "./read-values.ts";
import { jobView, type View } from "./views.ts";

type OfChain = ByChainId & ListOptions<JobStatus>;

const readChainKeys = { id: true, cursor: true, limit: true, order: true, tx: true } satisfies OptionKeys;

export async function listJobs(store: StoreAccess, options: JobListOptions = {}): Promise<Page<View>> {
  return await listPage(store, options, { what: "listJobs" });
}

/** The steps of a chain, first to last by default. */
export async function listChainJobs(store: StoreAccess, asked: OfChain): Promise<Page<View>> {
  const { id, ...options } = ofChain(asked, "listChainJobs");
  return await listPage(store, { order: "oldest", ...options }, { what: "listChainJobs", chainId: checkId(id, "id") });
}

/** The jobs that wait, or waited, for a chain. */
export async function listBlockedJobs(store: StoreAccess, asked: OfChain): Promise<Page<View>> {
  const { id, ...options } = ofChain(asked, "listBlockedJobs");
  return await listPage(store, options, { what: "listBlockedJobs", blockedBy: checkId(id, "id") });
}

/** The type and status of a chain as it was read do not filter its jobs. */
function ofChain(asked: OfChain, what: string): OfChain {
  if (!isReadValue(asked)) return asked;
  checkChainKeys(asked, readChainKeys, `${what} of a chain as it was read`);
  const { id, cursor, limit, order, tx } = asked;
  return { id, cursor, limit, tx, ...(order !== undefined && { order }) };
}

async function listPage(
  store: StoreAccess,
  options: JobListOptions,
  { what, ...within }: { readonly what: string; readonly chainId?: string; readonly blockedBy?: string },
): Promise<Page<View>> {
  const query = checkJobQuery(options, what, within);
  const until = await searchEnd(store, options, query);
  const failures = failuresOf(store, options);
  const rows = await store.state.listJobs({ ...query, until, failures }, store.callOptions(options.tx));
  return pageUntil(
    until,
    pageOf(rows, query.limit - 1, listedView(store.types.versions, jobView), (job) => job.id),
  );
}

/** Scheduled jobs, the soonest due first. */
export async function listScheduledJobs(store: StoreAccess, options: DueOptions = {}): Promise<Page<View>> {
  const query = checkDueQuery(options);
  const rows = await store.state.listDue(query, store.callOptions(options.tx));
  return pageOf(rows, query.limit - 1, listedView(store.types.versions, jobView), dueCursor);
}
