import { claimName } from "chainwright/adapter";
import type { Handle, JobStart, Place, Rows } from "chainwright/adapter";
import type { Data, Job } from "./data.ts";
import { readData, writeData } from "./data.ts";
import {
  byId,
  chainStatusOf,
  chainWith,
  chainsBlockedBy,
  chainsOf,
  dependentsOf,
  lastJobOf,
  leasedJob,
  statusAt,
} from "./jobs.ts";
import { look, waitingFor } from "./releases.ts";

/** What the rules of chains read and write. Nothing here decides what a start, an end or a retry means. */
export function createRows(data: Data): Rows<Job, Job> {
  return { ...readsOf(data), ...writesOf(data) };
}

type Reads =
  | "chain"
  | "job"
  | "leasedJob"
  | "lastJob"
  | "chainOf"
  | "typeNameOf"
  | "claimNameOf"
  | "chainStatusOf"
  | "jobStatusOf"
  | "workerOf"
  | "keyOf"
  | "keyHolder"
  | "blockersOf"
  | "chainsBlockedBy"
  | "failedBecauseOf"
  | "isReferenced"
  | "isAwaited"
  | "hasReleases";

function readsOf(data: Data): Pick<Rows<Job, Job>, Reads> {
  return {
    chain: (id) => chainWith(data, id),
    job: (id) => data.jobs.get(id),
    leasedJob: (fence) => leasedJob(data, fence),
    lastJob: (chain) => lastJobOf(data, chain),
    chainOf: (job) => chainWith(data, job.chainId) ?? job,
    typeNameOf: (job) => job.typeName,
    claimNameOf: claimName,
    chainStatusOf: (chain) => chainStatusOf(data, chain),
    jobStatusOf: statusAt,
    workerOf: (job, now) => (statusAt(job, now) === "running" ? job.lease?.workerId : undefined),
    keyOf: (chain) => chain.chain?.key,
    keyHolder(key, now) {
      const chain = holderOf(data, key, now);
      if (chain === undefined) return undefined;
      const { input, version, createdAt } = chain;
      return { chain, status: chainStatusOf(data, chain), input, version, createdAt };
    },
    blockersOf: ({ onBlockerFailure, blocking }) => {
      const chains = chainsOf(data, new Set(blocking?.chainIds));
      return { onBlockerFailure, open: chains.filter((chain) => chainStatusOf(data, chain) !== "completed") };
    },
    chainsBlockedBy: (chain) => chainsBlockedBy(data, chain.id),
    failedBecauseOf: ({ id }) =>
      dependentsOf(data, id)
        .filter(({ status, blocking }) => status === "failed" && blocking?.failedBy === id)
        .toSorted(byId)
        .map((job) => ({ job, endedAt: job.endedAt ?? 0 })),
    isReferenced: ({ id }) => dependentsOf(data, id).length > 0,
    // Without `noteAwaited` every end is announced.
    isAwaited: () => false,
    hasReleases: () => data.releases.length > 0,
  };
}

function writesOf(data: Data): Omit<Rows<Job, Job>, Reads> {
  return {
    allOrNothing(run) {
      const before = writeData(data);
      try {
        const result = run();
        if (!result.ok) Object.assign(data, readData(before));
        return result;
      } catch (error) {
        Object.assign(data, readData(before));
        throw error;
      }
    },
    insert: (start, place, now) => insert(data, start, place, now),
    end(job, chain, { status, output, outputVersion = 1, errors, reason, failedBy, by, now }) {
      setChain(chain, { reason });
      Object.assign(job, { status, output, outputVersion, errors: errors ?? job.errors, endedAt: now });
      if (by === "other") job.lease = undefined;
      if (failedBy !== undefined) setBlocking(job, { failedBy: failedBy.id });
    },
    complete(job, next, { by, now }) {
      Object.assign(job, { status: "completed", nextId: next.id, endedAt: now });
      if (by === "other") job.lease = undefined;
    },
    putBack(job, { dueAt, status, counted, errors }) {
      Object.assign(job, { status, readyAt: dueAt, lease: undefined, errors: errors ?? job.errors });
      if (!counted) job.attempt -= 1;
    },
    makeReady: (job, now) => void Object.assign(job, { status: "ready", readyAt: now }),
    waitingFor: (chain, status, limit) => waitingFor(data, { chain, status }, limit),
    takeRelease(limit) {
      const release = data.releases.shift();
      return release && look(data, release, limit);
    },
    countDown: (job, left) => setBlocking(job, { left }),
    unblock(job, dueAt, now) {
      setBlocking(job, { left: 0 });
      Object.assign(job, { status: dueAt > now ? "scheduled" : "ready", readyAt: dueAt });
    },
    reopenJob(job, { blockersLeft, input = job.input, version = job.version, dueAt = job.readyAt }) {
      const status = blockersLeft > 0 ? "blocked" : "ready";
      Object.assign(job, { status, attempt: 0, input, version, readyAt: dueAt, lease: undefined, endedAt: undefined });
      data.sequence += 1;
      setBlocking(job, { left: blockersLeft, countedAt: data.sequence, failedBy: undefined });
    },
    reopenChain(chain) {
      dropRelease(data, chain);
      setChain(chain, { reason: undefined });
    },
    blame(job, { by, errors }) {
      job.errors = errors;
      setBlocking(job, { failedBy: by.id });
    },
    takeKey({ id, chain }) {
      if (chain?.key !== undefined) data.keys.set(chain.key.key, { chainId: id, until: chain.key.until });
    },
    freeKey: (chain) => freeKey(data, chain),
    remove: (chain) => removeChain(data, chain),
  };
}

function insert(data: Data, start: JobStart, place: Place<Job, Job>, now: number): Job | undefined {
  if (data.jobs.has(start.id)) return undefined;
  const { after, blockers, open, failure, key } = place;
  data.sequence += 1;
  const { id, typeName, version = 1, pool, priority, input, onBlockerFailure, context, tags } = start;
  const job: Job = {
    id,
    typeName,
    version,
    pool,
    priority,
    input,
    onBlockerFailure,
    context,
    chainId: after?.chainId ?? id,
    step: (after?.step ?? 0) + 1,
    position: data.sequence,
    createdAt: now,
    status: place.status,
    output: undefined,
    outputVersion: 1,
    errors: failure?.errors,
    attempt: 0,
    fence: 0,
    readyAt: place.dueAt,
    lease: undefined,
    endedAt: failure && now,
    nextId: undefined,
    blocking:
      blockers.length === 0
        ? undefined
        : {
            chainIds: blockers.map((chain) => chain.id),
            left: open.length,
            countedAt: data.sequence,
            failedBy: failure?.by.id,
          },
    chain: after === undefined ? { lastId: id, reason: undefined, key, tags } : undefined,
  };
  data.jobs.set(id, job);
  const chain = after && chainWith(data, after.chainId);
  if (chain !== undefined) setChain(chain, { lastId: id });
  return job;
}

function setChain(job: Job, change: Partial<Job["chain"]>): void {
  if (job.chain !== undefined) job.chain = { ...job.chain, ...change };
}

function setBlocking(job: Job, change: Partial<Job["blocking"]>): void {
  if (job.blocking !== undefined) job.blocking = { ...job.blocking, ...change };
}

/** The chain that holds a key, unless the key's window has passed. */
export function holderOf(data: Data, key: string, now: number): Job | undefined {
  const held = data.keys.get(key);
  if (held === undefined || (held.until !== undefined && held.until <= now)) return undefined;
  return chainWith(data, held.chainId);
}

function freeKey(data: Data, { id, chain }: Job): void {
  const key = chain?.key?.key ?? "";
  if (data.keys.get(key)?.chainId === id) data.keys.delete(key);
}

function dropRelease(data: Data, chain: Handle): void {
  data.releases = data.releases.filter(({ chainId }) => chainId !== chain.id);
}

/** Deletes a chain with its jobs, and its traces in the jobs that it has blocked. */
export function removeChain(data: Data, chain: Job): void {
  dropRelease(data, chain);
  freeKey(data, chain);
  for (const job of dependentsOf(data, chain.id)) {
    const chainIds = job.blocking?.chainIds.map((id) => (id === chain.id ? null : id));
    if (chainIds !== undefined) setBlocking(job, { chainIds });
  }
  for (const job of data.jobs.values()) if (job.chainId === chain.id) data.jobs.delete(job.id);
}
