import { ChainwrightError } from "../model/error.ts";
import type { ChainStatus, JobStatus } from "../model/status.ts";
import { checkId, checkInteger, checkKeys } from "../checks/check-options.ts";
import type { Engine } from "../engine/engine.ts";
import type { PageQuery } from "../ports/state.ts";
import {
  checkChainQuery,
  checkJobQuery,
  checkDueQuery,
  checkLimit,
  checkMaxScanned,
  dueCursor,
  pageOf,
  type DueOptions,
  type FilterOptions,
  type Page,
  type PageOptions,
} from "./pages.ts";
import { blockerView, chainView, jobView, type View } from "./views.ts";

interface ById {
  readonly id: string;
  readonly typeName?: string | undefined;
  readonly tx?: unknown;
}

const byIdKeys: ReadonlySet<string> = new Set(["id", "typeName", "tx"]);
const txKeys: ReadonlySet<string> = new Set(["tx"]);
const pageByIdKeys: ReadonlySet<string> = new Set(["id", "cursor", "limit", "tx"]);

export async function getChain(engine: Engine, options: ById): Promise<View | undefined> {
  checkKeys(options, byIdKeys, "getChain");
  const [chain] = await engine.state.getChains([checkId(options.id, "id")], engine.callOptions(options.tx));
  return chain === undefined ? undefined : chainView(ofType(chain, options.typeName));
}

export async function getJob(engine: Engine, options: ById): Promise<View | undefined> {
  checkKeys(options, byIdKeys, "getJob");
  const [job] = await engine.state.getJobs([checkId(options.id, "id")], engine.callOptions(options.tx));
  return job === undefined ? undefined : jobView(ofType(job, options.typeName));
}

/** A caller that named a type is promised its payloads; another one's would be a lie. */
export function ofType<Row extends { readonly id: string; readonly typeName: string }>(
  row: Row,
  typeName: string | undefined,
): Row {
  if (typeName === undefined || row.typeName === typeName) return row;
  throw new ChainwrightError("job-type-mismatch", `${row.id} is a "${row.typeName}", not a "${typeName}".`, {
    details: { id: row.id, actual: row.typeName },
  });
}

export async function listChains(engine: Engine, options: FilterOptions<ChainStatus> = {}): Promise<Page> {
  const query = checkChainQuery(options, "listChains");
  const until = await reachOf(engine, options, query);
  const rows = await engine.state.listChains({ ...query, until }, engine.callOptions(options.tx));
  return reaching(
    until,
    pageOf(rows, query.limit - 1, chainView, (chain) => chain.id),
  );
}

export async function listJobs(engine: Engine, options: FilterOptions<JobStatus> = {}): Promise<Page> {
  return await pageOfJobs(engine, options, { what: "listJobs" });
}

/** The steps of a chain, first to last unless asked otherwise. */
export async function listChainJobs(
  engine: Engine,
  { id, ...options }: { readonly id: string } & FilterOptions<JobStatus>,
): Promise<Page> {
  return await pageOfJobs(
    engine,
    { order: "oldest", ...options },
    { what: "listChainJobs", chainId: checkId(id, "id") },
  );
}

/** The jobs that wait, or waited, for a chain. */
export async function listBlockedJobs(
  engine: Engine,
  { id, ...options }: { readonly id: string } & FilterOptions<JobStatus>,
): Promise<Page> {
  return await pageOfJobs(engine, options, { what: "listBlockedJobs", blockedBy: checkId(id, "id") });
}

async function pageOfJobs(
  engine: Engine,
  options: FilterOptions<JobStatus>,
  { what, ...within }: { readonly what: string; readonly chainId?: string; readonly blockedBy?: string },
): Promise<Page> {
  const query = checkJobQuery(options, what, within);
  const until = await reachOf(engine, options, query);
  const rows = await engine.state.listJobs({ ...query, until }, engine.callOptions(options.tx));
  return reaching(
    until,
    pageOf(rows, query.limit - 1, jobView, (job) => job.id),
  );
}

/** The job up to which a bounded search looks; undefined: to the end. */
async function reachOf(
  engine: Engine,
  options: FilterOptions<string>,
  { after, order }: PageQuery,
): Promise<string | undefined> {
  const limit = checkMaxScanned(options);
  if (limit === undefined) return undefined;
  return await engine.state.reach({ after, order, limit }, engine.callOptions(options.tx));
}

/** A search that ended at its bound goes on from there. */
function reaching(until: string | undefined, page: Page): Page {
  return { ...page, nextCursor: page.nextCursor ?? until };
}

/** Scheduled jobs, the soonest due first. */
export async function listScheduledJobs(engine: Engine, options: DueOptions = {}): Promise<Page> {
  const query = checkDueQuery(options);
  const rows = await engine.state.listDue(query, engine.callOptions(options.tx));
  return pageOf(rows, query.limit - 1, jobView, dueCursor);
}

/** The blockers of a job, in the order it named them. */
export async function getJobBlockers(
  engine: Engine,
  options: { readonly id: string; readonly tx?: unknown } & PageOptions,
): Promise<Page> {
  checkKeys(options, pageByIdKeys, "getJobBlockers");
  const limit = checkLimit(options.limit);
  const afterPosition =
    options.cursor === undefined ? undefined : checkInteger(Number(options.cursor), "cursor", { min: 0, max: 2 ** 31 });
  const query = { jobId: checkId(options.id, "id"), afterPosition, limit: limit + 1 };
  const rows = await engine.state.listBlockers(query, engine.callOptions(options.tx));
  return pageOf(rows, limit, blockerView, (blocker) => String(blocker.position));
}

export async function listWorkers(engine: Engine, options: { readonly tx?: unknown } = {}): Promise<readonly View[]> {
  checkKeys(options, txKeys, "listWorkers");
  const workers = await engine.state.listWorkers(engine.callOptions(options.tx));
  return workers.map((worker) => ({
    ...worker,
    startedAt: new Date(worker.startedAt),
    lastSeenAt: new Date(worker.lastSeenAt),
  }));
}

/** Counts by type and status, every status named, and how long the oldest ready job has waited. */
export async function countJobs(engine: Engine, options: { readonly tx?: unknown } = {}): Promise<View> {
  checkKeys(options, txKeys, "countJobs");
  // A type may have a name that every object has: `constructor`, `__proto__`.
  const byType = new Map<string, Record<string, number | undefined>>();
  for (const { typeName, status, count, oldestReadyMs } of await engine.state.count(engine.callOptions(options.tx))) {
    const counts = byType.get(typeName) ?? { ...noCounts, oldestReadyMs: undefined };
    counts[status] = count;
    if (oldestReadyMs !== undefined) counts["oldestReadyMs"] = oldestReadyMs;
    byType.set(typeName, counts);
  }
  return Object.fromEntries(byType);
}

const noCounts: Readonly<Record<JobStatus, number>> = {
  blocked: 0,
  scheduled: 0,
  ready: 0,
  running: 0,
  completed: 0,
  failed: 0,
  cancelled: 0,
};
