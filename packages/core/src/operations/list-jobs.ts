import type { JobStatus } from "../model/status.ts";
import { checkId } from "../checks/check-options.ts";
import type { Engine } from "../engine/engine.ts";
import { checkDueQuery, checkJobQuery, dueCursor, type DueOptions, type FilterOptions } from "./list-queries.ts";
import { pageOf, pageUntil, searchEnd, type Page } from "./pages.ts";
import { jobView } from "./views.ts";

type OfChain = { readonly id: string } & FilterOptions<JobStatus>;

export async function listJobs(engine: Engine, options: FilterOptions<JobStatus> = {}): Promise<Page> {
  return await listPage(engine, options, { what: "listJobs" });
}

/** The steps of a chain, first to last by default. */
export async function listChainJobs(engine: Engine, { id, ...options }: OfChain): Promise<Page> {
  return await listPage(engine, { order: "oldest", ...options }, { what: "listChainJobs", chainId: checkId(id, "id") });
}

/** The jobs that wait, or waited, for a chain. */
export async function listBlockedJobs(engine: Engine, { id, ...options }: OfChain): Promise<Page> {
  return await listPage(engine, options, { what: "listBlockedJobs", blockedBy: checkId(id, "id") });
}

async function listPage(
  engine: Engine,
  options: FilterOptions<JobStatus>,
  { what, ...within }: { readonly what: string; readonly chainId?: string; readonly blockedBy?: string },
): Promise<Page> {
  const query = checkJobQuery(options, what, within);
  const until = await searchEnd(engine, options, query);
  const rows = await engine.state.listJobs({ ...query, until }, engine.callOptions(options.tx));
  return pageUntil(
    until,
    pageOf(rows, query.limit - 1, jobView, (job) => job.id),
  );
}

/** Scheduled jobs, the soonest due first. */
export async function listScheduledJobs(engine: Engine, options: DueOptions = {}): Promise<Page> {
  const query = checkDueQuery(options);
  const rows = await engine.state.listDue(query, engine.callOptions(options.tx));
  return pageOf(rows, query.limit - 1, jobView, dueCursor);
}
