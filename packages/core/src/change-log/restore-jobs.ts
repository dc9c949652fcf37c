import { createLanes, laneFor } from "../in-process/lanes.ts";
import { laneOf } from "../in-process/lane-of.ts";
import type { ChainEnds } from "../in-process/chain-ends.ts";
import { keptPlaces } from "../in-process/row-types.ts";
import type { Blocking, JobRow, Lane, Shared } from "../in-process/row-types.ts";
import { noShared } from "../in-process/shared.ts";
import type { Store } from "../in-process/store.ts";
import { claimName } from "../model/claim-name.ts";
import { rowsOf, type Collected } from "./collect.ts";
import { statuses } from "./encode-job.ts";
import { toShares, toWait, type StoredJob } from "./rows.ts";

/** From here on a state refers to other jobs, or has what is written together with such references. */
const firstReference = 10;

type Shares = ReadonlyMap<string, { readonly weight: number; readonly holds: boolean }>;

/** Writes the rows of all jobs, with their references to each other; they are in no queue and no index yet. */
export function restoreJobs(store: Store, collected: Collected): void {
  const { jobs } = store;
  const shares = sharesOf(collected);
  const linked: (readonly [JobRow, StoredJob])[] = [];
  // First rows that come after another one of their chain.
  const early = new Set<string>();
  const create = (id: string, job: StoredJob): JobRow => {
    const chainId = job.place[5] ?? undefined;
    const chain = chainId === undefined ? undefined : (jobs.get(chainId) ?? createEarly(chainId));
    const row = createRow(id, { job, chain, lane: restoreLane(store, job, shares) });
    jobs.set(id, row);
    // Most jobs that wait have none.
    if (job.state.length > firstReference) linked.push([row, job]);
    return row;
  };
  const createEarly = (id: string): JobRow | undefined => {
    const job = collected.jobs.get(id);
    early.add(id);
    return job && create(id, job);
  };
  for (const [id, job] of collected.jobs) if (early.size === 0 || !early.has(id)) create(id, job);
  const link = linkBy(jobs);
  for (const [row, job] of linked) link(row, job);
}

interface Created {
  readonly job: StoredJob;
  readonly chain: JobRow | undefined;
  readonly lane: Lane;
}

function createRow(id: string, { job: { place, state }, chain, lane }: Created): JobRow {
  const [, step, position, createdAt, input, , , , , onBlockerFailure, context] = place;
  const [status, readyAt, attempt, fence, endedAt, output, outputVersion, errors, lease, keepsPlaces] = state;
  const written = statuses[status] ?? "blocked";
  const ended = lease && { workerId: lease[0], startedAt: lease[1], until: lease[2] };
  return {
    id,
    chain,
    lane,
    step,
    position,
    createdAt,
    onBlockerFailure: onBlockerFailure ?? "fail",
    context: context ?? undefined,
    // Its worker has ended with the process.
    status: written === "running" ? "ready" : written,
    input,
    output: output ?? undefined,
    outputVersion: outputVersion ?? 1,
    errors: errors ?? undefined,
    attempt,
    fence,
    readyAt,
    lease: keepsPlaces === 1 ? keptPlaces : (ended ?? undefined),
    endedAt: endedAt ?? undefined,
    next: undefined,
    blocking: undefined,
    wait: undefined,
    last: undefined,
    shared: undefined,
    queued: undefined,
  };
}

/** Completed jobs are in the lane without limits. */
function restoreLane(store: Store, { place, state }: StoredJob, shares: Shares): Lane {
  const [typeName, , , , , , priority, version, pool, , , limits] = place;
  const key = { typeName, version: version ?? undefined, pool: pool ?? undefined };
  if (limits == null || statuses[state[0]] === "completed") return laneFor(store.lanes, key, priority ?? 0);
  const { weight, holds } = shares.get(JSON.stringify([claimName(key), JSON.stringify(limits)])) ?? noShares;
  const withShares = limits.map(([limit, name]) => ({ limit, key: name, weight, holds }));
  return laneOf(store, { ...key, limits: withShares }, priority ?? 0);
}

const noShares = { weight: 1, holds: false };

function sharesOf(collected: Collected): Shares {
  return new Map(Array.from(rowsOf(collected, "lane"), ({ key, value }) => [JSON.stringify(key), toShares(value)]));
}

/** Writes the references of a row. */
function linkBy(rows: ReadonlyMap<string, JobRow>): (row: JobRow, job: StoredJob) => void {
  const find = (id: string | null | undefined) => (id == null ? undefined : rows.get(id));
  return (row, { place, state }) => {
    const [, , , , , , , , , , next, last, blocking, wait, shared] = state;
    row.next = find(next);
    row.last = find(last);
    row.wait = wait == null ? undefined : toWait(wait);
    if (blocking != null) row.blocking = toBlocking({ place, blocking }, find);
    if (row.blocking !== undefined) addDependent(row, row.blocking);
    if (shared != null) row.shared = toShared(row, shared, find);
  };
}

function toBlocking(
  { place, blocking }: { readonly place: StoredJob["place"]; readonly blocking: NonNullable<StoredJob["state"][12]> },
  find: Find,
): Blocking {
  const [left, countedAt, failedBy] = blocking;
  const [, , , , , , , , , , , , chains, own] = place;
  return {
    chains: (chains ?? []).map(find),
    own: (own ?? []).flatMap((id) => find(id) ?? []),
    left,
    countedAt,
    failedBy: find(failedBy ?? null),
  };
}

function addDependent(row: JobRow, { chains }: Blocking): void {
  for (const chain of new Set(chains)) {
    if (chain === undefined) continue;
    const dependents = chain.shared?.dependents ?? new Set();
    dependents.add(row);
    chain.shared = { ...(chain.shared ?? noShared), dependents };
  }
}

type Find = (id: string | null) => JobRow | undefined;

function toShared(chain: JobRow, stored: NonNullable<StoredJob["state"][14]>, find: Find): Shared {
  const [reason, key, tags, startedFor, follows, ends] = stored;
  return {
    reason: reason ?? undefined,
    deduplication:
      key == null
        ? undefined
        : { key: key[0], scope: key[1], until: key[2] ?? undefined, heldUntil: key[3] ?? undefined, chain },
    tags: tags ?? undefined,
    dependents: chain.shared?.dependents,
    startedFor: find(startedFor ?? null),
    follows: find(follows ?? null),
    ends: ends == null ? undefined : toEnds(ends, find),
  };
}

function toEnds(
  [whenStopped, deadlineAt, held, compensations, followUps]: NonNullable<NonNullable<StoredJob["state"][14]>[5]>,
  find: Find,
): ChainEnds<JobRow> {
  return {
    whenStopped: whenStopped ?? undefined,
    deadlineAt: deadlineAt ?? undefined,
    held: held ?? undefined,
    compensations,
    followUps: followUps.map(([id, kind, isRemoved]) => ({
      // One that was deleted is still told.
      chain: (isRemoved === 1 ? undefined : find(id)) ?? removedRow(id),
      kind,
    })),
  };
}

/** One that was deleted: only its id is still told. */
export function removedRow(id: string): JobRow {
  const lane = laneFor(createLanes(), { typeName: "" }, 0);
  const job: StoredJob = { place: ["", 1, 0, 0, ""], state: [0, 0, 0, 0] };
  return { ...createRow(id, { job, chain: undefined, lane }), status: "removed" };
}
