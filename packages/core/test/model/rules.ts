import type { Fence, LostReason } from "../../src/model/outcome.ts";
import {
  brokenBlockers,
  chainStatus,
  dependentsOf,
  hasPassed,
  holderOf,
  jobStatus,
  lastJob,
  openBlockers,
  Refused,
  type RefChain,
  type RefJob,
  type RefKey,
  type Reference,
} from "./reference.ts";

/** A start or a continuation, as the commands write it. */
export interface Start {
  readonly id: string;
  readonly typeName: string;
  readonly priority: number;
  readonly afterMs: number | undefined;
  readonly key:
    | { readonly name: string; readonly scope: "active" | "any"; readonly windowMs: number | undefined }
    | undefined;
  readonly blockers: readonly ({ readonly chainId: string } | { readonly start: Start })[];
  readonly onBlockerFailure: "fail" | "wait";
}

export function begin(ref: Reference, start: Start): { readonly id: string; readonly deduplicated: boolean } {
  const name = start.key === undefined ? undefined : `${start.typeName} ${start.key.name}`;
  const holder = name === undefined ? undefined : holderOf(ref, name);
  if (holder !== undefined) return { id: holder.id, deduplicated: true };
  const key = keyOf(ref, start, name);
  const own: string[] = [];
  const blockers = start.blockers.map((blocker) => {
    const { id, deduplicated } =
      "start" in blocker ? begin(ref, blocker.start) : { id: blocker.chainId, deduplicated: true };
    if (!ref.chains.has(id)) throw new Refused("chain-not-found");
    if (!deduplicated) own.push(id);
    return id;
  });
  if (ref.jobs.some(({ id }) => id === start.id)) throw new Refused("duplicate-id");
  const chain: RefChain = { id: start.id, typeName: start.typeName, reason: undefined, key, holdsKey: false };
  ref.chains.set(start.id, chain);
  write(ref, start, { chainId: start.id, blockers, own });
  if (key !== undefined && (key.scope === "any" || chainStatus(ref, start.id) === "active")) take(ref, chain);
  return { id: start.id, deduplicated: false };
}

function keyOf(ref: Reference, { key }: Start, name: string | undefined): RefKey | undefined {
  if (key === undefined || name === undefined) return undefined;
  return { name, scope: key.scope, until: key.windowMs === undefined ? undefined : ref.now + key.windowMs };
}

function take(ref: Reference, chain: RefChain): void {
  for (const other of ref.chains.values()) if (other.key?.name === chain.key?.name) other.holdsKey = false;
  chain.holdsKey = true;
}

function write(ref: Reference, start: Start, rest: Pick<RefJob, "chainId" | "blockers" | "own">): RefJob {
  const dueAt = ref.now + (start.afterMs ?? 0);
  const { id, typeName, priority, onBlockerFailure } = start;
  const job: RefJob = {
    id,
    ...rest,
    typeName,
    priority,
    status: dueAt > ref.now ? "scheduled" : "ready",
    dueAt,
    attempt: 0,
    fence: 0,
    lease: undefined,
    onBlockerFailure,
    cause: undefined,
  };
  ref.jobs.push(job);
  const [broken] = brokenBlockers(ref, job);
  if (broken !== undefined && onBlockerFailure === "fail") {
    job.status = "failed";
    job.cause = broken;
  } else if (openBlockers(ref, job).length > 0) {
    job.status = "blocked";
  }
  return job;
}

/** Higher priority first, then in the order of the types, then first in first out. */
export function claim(ref: Reference, by: Claim): readonly RefJob[] {
  const { workerId, typeNames, limit, leaseMs } = by;
  const ready = ref.jobs.filter((job) => typeNames.includes(job.typeName) && jobStatus(ref, job) === "ready");
  const rank = (job: RefJob): readonly number[] => [
    -job.priority,
    typeNames.indexOf(job.typeName),
    ref.jobs.indexOf(job),
  ];
  const claimed = ready.sort((a, b) => compare(rank(a), rank(b))).slice(0, limit);
  for (const job of claimed) {
    job.status = "running";
    job.attempt += 1;
    job.fence += 1;
    job.lease = { workerId, until: ref.now + leaseMs };
  }
  return claimed;
}

export interface Claim {
  readonly workerId: string;
  readonly typeNames: readonly string[];
  readonly limit: number;
  readonly leaseMs: number;
}

function compare(left: readonly number[], right: readonly number[]): number {
  const at = left.findIndex((value, index) => value !== right[index]);
  return at < 0 ? 0 : (left[at] ?? 0) - (right[at] ?? 0);
}

export type Ending =
  | { readonly kind: "completed" | "failed" }
  | { readonly kind: "deferred"; readonly afterMs: number | undefined; readonly counted: boolean }
  | { readonly kind: "continued"; readonly next: Start };

export function settleAttempt(ref: Reference, fence: Fence, ending: Ending): "settled" | LostReason {
  const job = leased(ref, fence);
  if (typeof job === "string") return job;
  settle(ref, job, ending);
  return "settled";
}

export function renew(ref: Reference, fence: Fence, leaseMs: number): "renewed" | LostReason {
  const job = leased(ref, fence);
  if (typeof job === "string") return job;
  job.lease = { workerId: fence.workerId, until: ref.now + leaseMs };
  return "renewed";
}

/** The job of a fence, if it has not been claimed since. */
function leased(ref: Reference, fence: Fence): RefJob | LostReason {
  const job = ref.jobs.find(({ id }) => id === fence.jobId);
  if (job === undefined || chainStatus(ref, job.chainId) === "cancelled") return "cancelled";
  if (job.lease?.workerId === fence.workerId && job.fence === fence.fence && job.status === "running") return job;
  return isOpen(job) ? "lease-lost" : "completed-elsewhere";
}

/** The open step of a chain, ended by a caller that is not a worker. */
export function settleStep(ref: Reference, chainId: string, typeName: string, ending: Ending): void {
  const job = lastJob(ref, chainId);
  if (!isOpen(job)) throw new Refused("chain-not-active");
  if (job.typeName !== typeName) throw new Refused("job-type-mismatch");
  settle(ref, job, ending);
}

function isOpen({ status }: RefJob): boolean {
  return status !== "completed" && status !== "failed" && status !== "cancelled";
}

function settle(ref: Reference, job: RefJob, ending: Ending): void {
  if (ending.kind === "deferred") {
    const dueAt = ref.now + (ending.afterMs ?? 0);
    job.dueAt = dueAt;
    job.lease = undefined;
    if (!ending.counted) job.attempt -= 1;
    job.status = dueAt > ref.now ? "scheduled" : "ready";
    return;
  }
  if (ending.kind === "continued") proceed(ref, job, ending.next);
  else job.status = ending.kind;
  follow(ref, [job.chainId]);
}

function proceed(ref: Reference, job: RefJob, next: Start): void {
  const blockers = next.blockers.map((blocker) => ("chainId" in blocker ? blocker.chainId : blocker.start.id));
  if (blockers.some((id) => !ref.chains.has(id))) throw new Refused("chain-not-found");
  if (closesCycle(ref, job.chainId, blockers)) throw new Refused("blocker-cycle");
  job.status = "completed";
  write(ref, next, { chainId: job.chainId, blockers, own: [] });
}

function closesCycle(ref: Reference, chainId: string, blockers: readonly string[]): boolean {
  const reached = new Set(openBlockers(ref, { blockers }));
  for (const id of reached) {
    if (id === chainId) return true;
    for (const further of openBlockers(ref, lastJob(ref, id))) reached.add(further);
  }
  return false;
}

/** The consequences of ends: keys become free, and waiting jobs count down or fail, with the consequences of their own ends. */
function follow(ref: Reference, ended: readonly string[]): void {
  const ends = [...ended];
  for (const id of ends) {
    const status = chainStatus(ref, id);
    if (status === "active") continue;
    const chain = ref.chains.get(id);
    if (chain?.key?.scope === "active") chain.holdsKey = false;
    for (const job of dependentsOf(ref, id)) {
      if (job.status !== "blocked") continue;
      if (status === "completed") countDown(ref, job);
      else if (job.onBlockerFailure === "fail") {
        job.status = "failed";
        job.cause = id;
        ends.push(job.chainId);
      }
    }
  }
}

function countDown(ref: Reference, job: RefJob): void {
  if (openBlockers(ref, job).length === 0) job.status = job.dueAt > ref.now ? "scheduled" : "ready";
}

export function trigger(ref: Reference, jobIds: readonly string[]): void {
  for (const id of jobIds) {
    const job = ref.jobs.find((other) => other.id === id);
    if (job === undefined) throw new Refused("job-not-found");
    if (jobStatus(ref, job) !== "scheduled") throw new Refused("job-not-scheduled");
  }
  for (const job of ref.jobs) if (jobIds.includes(job.id)) Object.assign(job, { status: "ready", dueAt: ref.now });
}

/** Returns the ids of all chains that end. */
export function cancel(ref: Reference, chainIds: readonly string[]): readonly string[] {
  for (const [at, id] of chainIds.entries()) {
    const job = lastJob(ref, id);
    if (!isOpen(job) || chainIds.indexOf(id) !== at) throw new Refused("chain-not-active");
  }
  const all = withOwnBlockers(ref, chainIds);
  for (const id of all) lastJob(ref, id).status = "cancelled";
  follow(ref, all);
  return all;
}

/** Adds, again and again, the active blockers that began with one of the chains' jobs and that no other open job waits for. */
function withOwnBlockers(ref: Reference, chainIds: readonly string[]): readonly string[] {
  const all = [...chainIds];
  const isNeeded = (id: string) => dependentsOf(ref, id).some((job) => isOpen(job) && !all.includes(job.chainId));
  const next = () =>
    all
      .flatMap((id) => (lastJob(ref, id).status === "blocked" ? lastJob(ref, id).own : []))
      .find((id) => !all.includes(id) && ref.chains.has(id) && isOpen(lastJob(ref, id)) && !isNeeded(id));
  for (let id = next(); id !== undefined; id = next()) all.push(id);
  return all;
}

export function retry(ref: Reference, chainIds: readonly string[]): void {
  for (const id of chainIds) {
    const job = lastJob(ref, id);
    if (job.status !== "failed" && job.status !== "cancelled") throw new Refused("chain-not-retryable");
    if (rival(ref, id)) throw new Refused("chain-not-retryable");
    Object.assign(job, { attempt: 0, lease: undefined, dueAt: ref.now, cause: undefined });
    job.status = openBlockers(ref, job).length > 0 ? "blocked" : "ready";
    reopen(ref, id);
  }
  const back = [...chainIds];
  for (const id of back) {
    for (const job of dependentsOf(ref, id)) {
      if (job.status !== "failed" || job.cause !== id || rival(ref, job.chainId)) continue;
      job.cause = brokenBlockers(ref, job)[0];
      if (job.cause !== undefined) continue;
      job.status = "blocked";
      reopen(ref, job.chainId);
      back.push(job.chainId);
    }
  }
  for (const id of chainIds) {
    const job = lastJob(ref, id);
    if (job.onBlockerFailure === "fail" && brokenBlockers(ref, job).length > 0)
      throw new Refused("chain-not-retryable");
  }
}

/** Whether another chain has taken the deduplication key since. */
function rival(ref: Reference, chainId: string): boolean {
  const key = ref.chains.get(chainId)?.key;
  if (key === undefined || hasPassed(ref, key)) return false;
  const holder = holderOf(ref, key.name);
  return holder !== undefined && holder.id !== chainId;
}

function reopen(ref: Reference, chainId: string): void {
  const chain = ref.chains.get(chainId);
  if (chain?.key !== undefined && !hasPassed(ref, chain.key)) take(ref, chain);
}

export function remove(ref: Reference, chainIds: readonly string[], cascade: boolean): readonly string[] {
  const gone = new Set(chainIds);
  for (const id of gone) {
    if (!ref.chains.has(id)) throw new Refused("chain-not-found");
    for (const job of dependentsOf(ref, id)) {
      if (job.status === "completed" || gone.has(job.chainId)) continue;
      if (!cascade) throw new Refused("chain-referenced");
      gone.add(job.chainId);
    }
  }
  for (const id of gone) ref.chains.delete(id);
  ref.jobs = ref.jobs.filter(({ chainId }) => !gone.has(chainId));
  return [...gone];
}
