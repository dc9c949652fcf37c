import { claimName, heldKey } from "chainwright/adapter";
import type { End, Handle, JobStart, Place, Reopening, Replacement, Rows, Wait } from "chainwright/adapter";
import type { Data, Job } from "./data.ts";
import { readData, writeData } from "./data.ts";
import { createEnds, endsAtStart } from "./ends.ts";
import {
  byId,
  chainStatusOf,
  chainWith,
  chainsBlockedBy,
  chainsOf,
  dependentsOf,
  isUnclaimed,
  lastJobOf,
  leasedJob,
  statusAt,
} from "./jobs.ts";
import { laneOf } from "./lanes.ts";
import { look, waitingFor } from "./releases.ts";
import { createNotes } from "./notes.ts";
import { signalRowsOf } from "./signals.ts";

/** What the rules of chains read and write. Nothing here decides what a start, an end or a retry means. */
export function createRows(data: Data): Rows<Job, Job> {
  return { ends: createEnds(data), notes: createNotes(), ...readsOf(data), ...writesOf(data), ...signalRowsOf(data) };
}

type Reads =
  | "chain"
  | "job"
  | "leasedJob"
  | "lastJob"
  | "chainAndLastJob"
  | "chainOf"
  | "typeNameOf"
  | "claimNameOf"
  | "chainStatusOf"
  | "jobStatusOf"
  | "workerOf"
  | "keyOf"
  | "keyHolder"
  | "firstDueAt"
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
    chainAndLastJob(id) {
      const chain = chainWith(data, id);
      return chain && { chain, job: lastJobOf(data, chain) };
    },
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
      const { until } = data.keys.get(key) ?? { until: undefined };
      return { chain, status: chainStatusOf(data, chain), input, version, createdAt, until };
    },
    firstDueAt: (chain) => (isUnclaimed(chain) ? chain.readyAt : undefined),
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

function writesOf(data: Data): Omit<Rows<Job, Job>, Reads | "ends" | "notes" | keyof ReturnType<typeof signalRowsOf>> {
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
    end: endJob,
    complete(job, next, { by, now }) {
      Object.assign(job, { status: "completed", nextId: next.id, endedAt: now, hasPlaces: false });
      if (by === "other") job.lease = undefined;
    },
    putBack,
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
    reopenJob: (job, reopening) => reopenJob(data, job, reopening),
    reopenChain(chain) {
      dropRelease(data, chain);
      setChain(chain, { reason: undefined });
    },
    blame(job, { by, errors }) {
      job.errors = errors;
      setBlocking(job, { failedBy: by.id });
    },
    replace: (chain, start, replacement) => replace(data, chain, start, replacement),
    takeKey: (chain) => takeKey(data, chain, chain.chain?.key?.until),
    freeKey: (chain) => freeKey(data, chain),
    remove: (chain) => removeChain(data, chain),
  };
}

function endJob(job: Job, chain: Job, end: End<Job>): void {
  const { status, output, outputVersion = 1, errors = job.errors, reason, failedBy, by, now } = end;
  setChain(chain, { reason });
  Object.assign(job, { status, output, outputVersion, errors, endedAt: now, hasPlaces: false });
  if (by === "other") job.lease = undefined;
  if (failedBy !== undefined) setBlocking(job, { failedBy: failedBy.id });
}

function putBack(job: Job, { dueAt, status, counted, errors = job.errors }: Wait): void {
  const hasPlaces = job.hasPlaces && job.limits?.some(({ holds }) => holds === true) === true;
  Object.assign(job, { status, errors, readyAt: dueAt, lease: undefined, isSeen: false, hasPlaces });
  if (!counted) job.attempt -= 1;
}

function reopenJob(data: Data, job: Job, reopening: Reopening): void {
  const { blockersLeft, input, version = job.version, limits, dueAt = job.readyAt, waits } = reopening;
  const status = waits ? "waiting" : blockersLeft > 0 ? "blocked" : "ready";
  if (input !== undefined) Object.assign(job, { input, version, limits, lane: laneOf({ ...job, version }, limits) });
  Object.assign(job, { status, attempt: 0, isSeen: false, readyAt: dueAt, lease: undefined, endedAt: undefined });
  data.sequence += 1;
  setBlocking(job, { left: blockersLeft, countedAt: data.sequence, failedBy: undefined });
}

function insert(data: Data, start: JobStart, place: Place<Job, Job>, now: number): Job | undefined {
  if (data.jobs.has(start.id)) return undefined;
  const { after, blockers, own, open, failure, key, deadlineAt } = place;
  data.sequence += 1;
  const { id, typeName, version = 1, pool, priority, input, onBlockerFailure, context, tags, limits } = start;
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
    limits,
    lane: laneOf({ typeName, version, pool }, limits),
    isSeen: false,
    hasPlaces: false,
    blocking:
      blockers.length === 0
        ? undefined
        : {
            chainIds: blockers.map((chain) => chain.id),
            ownIds: own.map((chain) => chain.id),
            left: open.length,
            countedAt: data.sequence,
            failedBy: failure?.by.id,
          },
    wait: place.wait && { ...place.wait, received: [] },
    notes: undefined,
    chain:
      after === undefined
        ? { lastId: id, reason: undefined, key, tags, ends: endsAtStart(start.whenStopped, deadlineAt) }
        : undefined,
  };
  data.jobs.set(id, job);
  const chain = after && chainWith(data, after.chainId);
  if (chain !== undefined) setChain(chain, { lastId: id });
  return job;
}

function replace(data: Data, job: Job, start: JobStart, { dueAt, status, until, heldUntil }: Replacement): void {
  const { input, version = 1, pool, priority, context, limits } = start;
  const lane = laneOf({ ...job, version, pool }, limits);
  Object.assign(job, { input, version, pool, priority, context, limits, lane, isSeen: false, status, readyAt: dueAt });
  const key = job.chain?.key;
  if (key !== undefined) setChain(job, { key: { ...key, until } });
  takeKey(data, job, heldUntil);
}

function takeKey(data: Data, { id, chain }: Job, until: number | undefined): void {
  if (chain?.key !== undefined) data.keys.set(heldKey(chain.key), { chainId: id, until });
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
  const key = chain?.key === undefined ? "" : heldKey(chain.key);
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
  data.signals.delete(chain.id);
  for (const job of data.jobs.values()) if (job.chainId === chain.id) data.jobs.delete(job.id);
}
