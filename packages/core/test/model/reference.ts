import type { ChainStatus, JobStatus, OnBlockerFailure } from "../../src/model/status.ts";
import type { Refusal } from "../../src/ports/reply.ts";

/** The simplest possible store: plain lists, every rule written out, nothing fast. A second implementation of the port. */
export interface Reference {
  now: number;
  chains: Map<string, RefChain>;
  /** In the order in which they were written. */
  jobs: RefJob[];
}

export interface RefChain {
  readonly id: string;
  readonly typeName: string;
  reason: string | undefined;
  readonly key: RefKey | undefined;
  /** Whether the key belongs to this chain. */
  holdsKey: boolean;
}

export interface RefKey {
  readonly name: string;
  readonly scope: "active" | "any";
  readonly until: number | undefined;
}

export interface RefJob {
  readonly id: string;
  readonly chainId: string;
  readonly typeName: string;
  readonly priority: number;
  /** The status that was written last; the job may have become ready since. */
  status: JobStatus;
  dueAt: number;
  attempt: number;
  fence: number;
  lease: { readonly workerId: string; readonly until: number } | undefined;
  readonly blockers: readonly string[];
  /** Those that began with it. */
  readonly own: readonly string[];
  readonly onBlockerFailure: OnBlockerFailure;
  /** The blocker because of which it failed. */
  cause: string | undefined;
}

/** Why a call is refused. */
export type Code = Refusal["code"];

export class Refused extends Error {
  readonly code: Code;

  constructor(code: Code) {
    super(code);
    this.code = code;
  }
}

export function createReference(now: number): Reference {
  return { now, chains: new Map(), jobs: [] };
}

/** Runs a call that is all or nothing: a refusal changes nothing in the reference. */
export function allOrNothing<T>(ref: Reference, run: () => T): T | Code {
  const before = structuredClone(ref);
  try {
    return run();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    ref.chains = before.chains;
    ref.jobs = before.jobs;
    return error.code;
  }
}

function jobsOf(ref: Reference, chainId: string): readonly RefJob[] {
  return ref.jobs.filter((job) => job.chainId === chainId);
}

export function lastJob(ref: Reference, chainId: string): RefJob {
  const job = jobsOf(ref, chainId).at(-1);
  if (job === undefined) throw new Refused("chain-not-found");
  return job;
}

/** The status of a chain, by its last job. */
export function chainStatus(ref: Reference, chainId: string): ChainStatus {
  const { status } = lastJob(ref, chainId);
  return status === "completed" || status === "failed" || status === "cancelled" ? status : "active";
}

/** The status of a job now: due jobs and expired leases are ready. */
export function jobStatus(ref: Reference, job: RefJob): JobStatus {
  if (job.status === "scheduled") return job.dueAt <= ref.now ? "ready" : "scheduled";
  if (job.status === "running") return (job.lease?.until ?? 0) <= ref.now ? "ready" : "running";
  return job.status;
}

/** The distinct blockers of a job that have not completed. */
export function openBlockers(ref: Reference, job: Pick<RefJob, "blockers">): readonly string[] {
  return [...new Set(job.blockers)].filter((id) => ref.chains.has(id) && chainStatus(ref, id) !== "completed");
}

export function brokenBlockers(ref: Reference, job: Pick<RefJob, "blockers">): readonly string[] {
  return openBlockers(ref, job).filter((id) => chainStatus(ref, id) !== "active");
}

/** The jobs that have a chain among their blockers, by id. */
export function dependentsOf(ref: Reference, chainId: string): readonly RefJob[] {
  return ref.jobs.filter(({ blockers }) => blockers.includes(chainId)).sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** The chain that holds a key now. */
export function holderOf(ref: Reference, name: string): RefChain | undefined {
  return [...ref.chains.values()].find(({ key, holdsKey }) => holdsKey && key?.name === name && !hasPassed(ref, key));
}

export function hasPassed(ref: Reference, { until }: RefKey): boolean {
  return until !== undefined && until <= ref.now;
}
