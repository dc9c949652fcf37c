import { claimName, omitPayloads } from "chainwright/adapter";
import type { JobStatus } from "chainwright";
import type {
  BlockerCountQuery,
  BlockerCounts,
  BlockerQuery,
  BlockerRecord,
  CountQuery,
  ChainQuery,
  ChainRecord,
  DueQuery,
  JobCount,
  JobQuery,
  JobRecord,
  PageQuery,
  QueuedCount,
  WorkerRecord,
} from "chainwright/adapter";
import type { Data, Job } from "./data.ts";
import {
  byId,
  chainStatusOf,
  chainWith,
  chainsOf,
  lastJobOf,
  readySince,
  statusAt,
  toChainRecord,
  toJobRecord,
} from "./jobs.ts";
import { isInLane } from "./lanes.ts";
import { holderOf } from "./rows.ts";

export function getChains(data: Data, ids: readonly string[]): (ChainRecord | undefined)[] {
  return ids.map((id) => {
    const chain = chainWith(data, id);
    return chain && toChainRecord(data, chain);
  });
}

export function getKeyHolders(data: Data, keys: readonly string[], now: number): (ChainRecord | undefined)[] {
  return keys.map((key) => {
    const chain = holderOf(data, key, now);
    return chain && toChainRecord(data, chain);
  });
}

export function getJobs(data: Data, ids: readonly string[], now: number): (JobRecord | undefined)[] {
  return ids.map((id) => {
    const job = data.jobs.get(id);
    return job && toJobRecord(job, now);
  });
}

export function listChains(data: Data, query: ChainQuery): ChainRecord[] {
  const { tags = {}, key, errorText } = query;
  const chains = [...data.jobs.values()].filter(
    (chain) =>
      chain.chain !== undefined &&
      fits(query, chain, chainStatusOf(data, chain)) &&
      Object.entries(tags).every(([name, value]) => chain.chain?.tags?.[name] === value) &&
      (key === undefined || isKey(chain.chain.key?.key, key)) &&
      (errorText === undefined ||
        (chainStatusOf(data, chain) === "failed" && (lastJobOf(data, chain).errors ?? "").includes(errorText))),
  );
  return page(chains, query).map((chain) => omitPayloads(toChainRecord(data, chain), query));
}

export function listJobs(data: Data, query: JobQuery, now: number): JobRecord[] {
  const { chainId, blockedBy, newestOf, errorText, limit, after, order } = query;
  const jobs = [...data.jobs.values()].filter(
    (job) =>
      fits(query, job, statusAt(job, now)) &&
      (chainId === undefined || job.chainId === chainId) &&
      (blockedBy === undefined || job.blocking?.chainIds.includes(blockedBy) === true) &&
      (newestOf === undefined || newestOf.some((id) => lastJobOfChain(data, id) === job)) &&
      (errorText === undefined || (job.errors ?? "").includes(errorText)),
  );
  if (chainId === undefined) return page(jobs, query).map((job) => omitPayloads(toJobRecord(job, now), query));
  // The jobs of one chain are in the order of their steps.
  const direction = order === "ascending" ? 1 : -1;
  const step = after === undefined ? -Infinity * direction : data.jobs.get(after)?.step;
  return jobs
    .filter((job) => step !== undefined && (job.step - step) * direction > 0)
    .toSorted((a, b) => (a.step - b.step) * direction)
    .slice(0, limit)
    .map((job) => omitPayloads(toJobRecord(job, now), query));
}

function lastJobOfChain(data: Data, id: string): Job | undefined {
  const chain = chainWith(data, id);
  return chain && lastJobOf(data, chain);
}

export function listDue(data: Data, query: DueQuery, now: number): JobRecord[] {
  const { typeNames, after, limit } = query;
  return [...data.jobs.values()]
    .filter((job) => statusAt(job, now) === "scheduled" && (typeNames?.includes(job.typeName) ?? true))
    .filter(
      ({ id, readyAt }) => after === undefined || readyAt > after.dueAt || (readyAt === after.dueAt && id > after.id),
    )
    .toSorted((a, b) => a.readyAt - b.readyAt || byId(a, b))
    .slice(0, limit)
    .map((job) => omitPayloads(toJobRecord(job, now), query));
}

export function reach(data: Data, query: PageQuery): string | undefined {
  return page([...data.jobs.values()], query)[query.limit - 1]?.id;
}

export function listBlockers(data: Data, query: BlockerQuery): BlockerRecord[] {
  return [query.jobId].flat().flatMap((jobId) => blockersOf(data, jobId, query));
}

function blockersOf(data: Data, jobId: string, query: BlockerQuery): BlockerRecord[] {
  const { afterPosition = -1, limit, statuses } = query;
  const chainIds = data.jobs.get(jobId)?.blocking?.chainIds ?? [];
  const all = chainIds.flatMap((id, position) =>
    chainsOf(data, [id]).map((chain) => ({ jobId, position, chain: omitPayloads(toChainRecord(data, chain), query) })),
  );
  return all
    .filter(({ position, chain }) => position > afterPosition && statuses?.includes(chain.status) !== false)
    .slice(0, limit);
}

export function countBlockers(data: Data, { of, id }: BlockerCountQuery): BlockerCounts | undefined {
  const chain = chainWith(data, id);
  const job = of === "job" ? data.jobs.get(id) : chain && lastJobOf(data, chain);
  if (job?.status !== "blocked") return undefined;
  const statuses = chainsOf(data, new Set(job.blocking?.chainIds)).map((each) => chainStatusOf(data, each));
  const completed = statuses.filter((status) => status === "completed").length;
  const active = statuses.filter((status) => status === "active").length;
  return { total: statuses.length, completed, failed: statuses.length - completed - active };
}

export function countAhead(
  data: Data,
  { id, limit }: { readonly id: string; readonly limit: number },
  now: number,
): number {
  const own = data.jobs.get(id);
  if (own === undefined) return 0;
  const waitsIn = (job: Job) => (isInLane(job, now) ? job.lane : undefined);
  const ahead = [...data.jobs.values()].filter(
    (job) =>
      claimName(job) === claimName(own) &&
      statusAt(job, now) === "ready" &&
      waitsIn(job) === waitsIn(own) &&
      (job.priority > own.priority || (job.priority === own.priority && job.position < own.position)),
  );
  return Math.min(limit, ahead.length);
}

export function listWorkers(data: Data, _request: undefined, now: number): WorkerRecord[] {
  return [...data.workers.values()]
    .filter(({ aliveUntil }) => aliveUntil > now)
    .map(({ worker }) => worker)
    .toSorted((a, b) => a.startedAt - b.startedAt || byId(a, b));
}

export function count(data: Data, { statuses, byVersion }: CountQuery, now: number): JobCount[] {
  const counts = new Map<string, JobCount>();
  for (const job of data.jobs.values()) {
    const { typeName, version, pool } = job;
    const status = statusAt(job, now);
    if (statuses?.includes(status) === false) continue;
    const name = byVersion && isQueued(status) ? { typeName, version, pool } : { typeName };
    const key = JSON.stringify([name, status]);
    const before = counts.get(key);
    const readyMs = status === "ready" ? Math.max(0, now - readySince(job)) : undefined;
    const isLimited = isInLane(job, now) && !job.hasPlaces;
    counts.set(key, {
      ...name,
      status,
      count: (before?.count ?? 0) + 1,
      oldestReadyMs: isLimited ? before?.oldestReadyMs : longer(before?.oldestReadyMs, readyMs),
      limited: isLimited ? (before?.limited ?? 0) + 1 : before?.limited,
      oldestLimitedMs: isLimited ? longer(before?.oldestLimitedMs, readyMs) : before?.oldestLimitedMs,
    });
  }
  return [...counts.values()];
}

export function countQueued(data: Data, _request: undefined, now: number): QueuedCount[] {
  const counts = new Map<string, QueuedCount>();
  for (const job of data.jobs.values()) {
    const status = statusAt(job, now);
    if (!isQueued(status)) continue;
    const { typeName, version, pool } = job;
    const key = JSON.stringify([claimName(job), status]);
    counts.set(key, { typeName, version, pool, status, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  return [...counts.values()];
}

function isQueued(status: JobStatus): status is QueuedCount["status"] {
  return status === "ready" || status === "scheduled" || status === "running";
}

function longer(left: number | undefined, right: number | undefined): number | undefined {
  return left === undefined || right === undefined ? (left ?? right) : Math.max(left, right);
}

type Filter = Pick<ChainQuery, "typeNames" | "ids" | "createdFrom" | "createdBefore"> & {
  readonly statuses: readonly string[] | undefined;
};

function fits({ typeNames, ids, createdFrom, createdBefore, statuses }: Filter, job: Job, status: string): boolean {
  return (
    (typeNames?.includes(job.typeName) ?? true) &&
    (ids?.includes(job.id) ?? true) &&
    (statuses?.includes(status) ?? true) &&
    (createdFrom === undefined || job.createdAt >= createdFrom) &&
    (createdBefore === undefined || job.createdAt < createdBefore)
  );
}

/** Rows in the order of their ids, after one id and up to another one. */
function page(rows: readonly Job[], { after, until, order, limit }: PageQuery & Pick<ChainQuery, "until">): Job[] {
  const direction = order === "ascending" ? 1 : -1;
  return rows
    .filter((row) => after === undefined || byId(row, { id: after }) * direction > 0)
    .filter((row) => until === undefined || byId(row, { id: until }) * direction <= 0)
    .toSorted((a, b) => byId(a, b) * direction)
    .slice(0, limit);
}

function isKey(key: string | undefined, query: NonNullable<ChainQuery["key"]>): boolean {
  if (key === undefined) return false;
  return "equals" in query ? key === query.equals : key.startsWith(query.beginsWith);
}
