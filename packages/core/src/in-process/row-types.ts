import type { LimitKey } from "../model/limit.ts";
import type { PausedType } from "../ports/pause.ts";
import type { EndedStatus, Key } from "../rules/rows.ts";
import type { ChainStatus, JobStatus, OnBlockerFailure } from "../model/status.ts";
import type { Tags } from "../model/tags.ts";
import type { ChainEnds } from "./chain-ends.ts";
import type { Heap } from "./heap.ts";
import type { LazyHeap } from "./lazy-heap.ts";
import type { KeyFacts, LimitFacts } from "./limit-said.ts";
import type { WaitRow } from "./wait-row.ts";

/**
 * A job. The objects in it (`lease`, `blocking`, `shared`) are replaced, never changed, so that a rollback needs only a shallow
 * copy of a row. Rarely used fields are in these objects to keep rows small, because a backlog is mostly rows.
 */
export interface JobRow {
  readonly id: string;
  /** The first row of its chain; undefined: this is the first row. It represents the chain. */
  readonly chain: JobRow | undefined;
  /** Its type, version, pool and priority, and where it waits when it is ready. */
  lane: Lane;
  readonly step: number;
  /** Its number in the store's sequence, which defines "first in". */
  readonly position: number;
  readonly createdAt: number;
  readonly onBlockerFailure: OnBlockerFailure;
  context: string | undefined;
  /** As of the last write: time may have made a `scheduled` or a `running` job ready since, see `statusAt`. */
  status: JobStatus | "removed";
  input: string;
  output: string | undefined;
  outputVersion: number;
  errors: string | undefined;
  attempt: number;
  /** How often it was claimed. */
  fence: number;
  /** Since when it is ready, or from when on it may be. */
  readyAt: number;
  /** Of the running attempt, of one that lapsed and may still settle (while `ready`), of the one that ended the job. */
  lease: Lease | undefined;
  endedAt: number | undefined;
  next: JobRow | undefined;
  blocking: Blocking | undefined;
  /** Undefined: it was written without a wait. */
  wait: WaitRow | undefined;
  /** On a chain's first row: its last one; undefined: the same. */
  last: JobRow | undefined;
  /** On a chain's first row. */
  shared: Shared | undefined;
  /** The lane whose entry for it counts: a fact about the lane, which a rollback leaves as it is. */
  queued: Lane | undefined;
}

export interface Lease {
  readonly workerId: string;
  readonly startedAt: number;
  readonly until: number;
}

export interface Blocking {
  /** First rows of the blocker chains, in position order; undefined: removed since. */
  readonly chains: readonly (JobRow | undefined)[];
  /** First rows of those that were started inline with the job. */
  readonly own: readonly JobRow[];
  /** How many of them, each counted once, have still to release it. */
  readonly left: number;
  /** The store's sequence number when they were counted: blockers that had completed by then were not counted. */
  readonly countedAt: number;
  /** The blocker that made this job fail. */
  readonly failedBy: JobRow | undefined;
}

/** What few chains have. */
export interface Shared {
  readonly reason: string | undefined;
  readonly deduplication: DeduplicationRow | undefined;
  readonly tags: Tags | undefined;
  /** Jobs with this chain among their blockers, in any status. */
  readonly dependents: Set<JobRow> | undefined;
  /** The job with which the chain was started inline, as a blocker of it; and the stopped chain for whose stop it was started. */
  readonly startedFor: JobRow | undefined;
  readonly follows: JobRow | undefined;
  /** What happens when it stops. */
  readonly ends: ChainEnds<JobRow> | undefined;
}

/** What an ended chain has to release: all jobs that waited for it when it ended. */
export interface Release {
  readonly chain: JobRow;
  readonly status: EndedStatus;
  readonly rows: readonly JobRow[];
  /** How many of them have been looked at. */
  readonly at: number;
  /** The store's sequence when the chain ended. A job whose blockers were counted after that did not count this one. */
  readonly since: number;
}

export interface DeduplicationRow extends Key {
  readonly chain: JobRow;
  /** When the key's window passes: with `debounce` later than `until`. */
  readonly heldUntil: number | undefined;
}

export type PauseRow = Omit<PausedType, "endsInMs">;

/** The lease of a job that waits for a retry and keeps its places of limits: no worker's, so that no one can settle under it. */
export const keptPlaces: Lease = { workerId: "", startedAt: 0, until: 0 };

/** All that the store keeps of a job type in one version and one pool. */
export interface TypeRow {
  readonly name: string;
  readonly version: number;
  readonly pool: string | undefined;
  /** Under which it is claimed. */
  readonly claimName: string;
  /** Jobs by their written status, including ended ones, so that counting never reads the history. */
  readonly counts: Record<JobStatus, number>;
  /** By `readyAt`. */
  readonly scheduled: LazyHeap<JobRow>;
  /** Those that wait for signals until some moment, by `wait.until`. */
  readonly waits: LazyHeap<JobRow>;
  /** By the end of the lease. */
  readonly leases: LazyHeap<JobRow>;
  /** By priority. */
  readonly lanes: Map<number, Lane>;
  /** The lanes with entries, highest priority first: a claim reads only these. */
  readonly busy: Lane[];
  /** Its jobs under limits. Undefined: it has had none. */
  limits: TypeLimits | undefined;
}

/** The ready jobs of one type and priority, by position. An entry is checked when it is taken. */
export interface Lane {
  readonly type: TypeRow;
  readonly priority: number;
  /** Where it is while it has entries: the busy lanes of its type, or of its lane of limits. */
  readonly among: Lane[];
  /** The limits that its jobs are under. */
  readonly limited: { readonly lane: LimitLane; readonly plain: Lane } | undefined;
  /** In ascending position, from `head` on. */
  rows: (JobRow | undefined)[];
  head: number;
  /** By position: jobs that came back when a younger one was already in `rows`. */
  readonly older: Heap<JobRow>;
  /** How many ready jobs it has; the rest of the entries are stale. */
  live: number;
}

/** What the store keeps of limits, and the last turn and the last token given out. */
export interface LimitStore {
  readonly rows: Map<string, LimitRow>;
  /** Whether a job has entered a lane since a claim looked at the lanes last. */
  isFresh: boolean;
  /** Whether the next claim takes jobs under limits before others of the same type and priority. */
  isFirst: boolean;
  turn: number;
  token: number;
  /** How many jobs wait in lanes. */
  waiting: number;
  /** Gates that may have room for lanes that they closed. */
  readonly freed: Set<Gate>;
  /** Lanes that had no open job, and gates that had no lane, at some moment: maintenance looks at these. */
  readonly idleLanes: Set<LimitLane>;
  readonly idleGates: Set<Gate>;
}

/** A limit. */
export interface LimitRow {
  readonly name: string;
  /** Replaced, never changed, and so are the facts about keys. */
  said: LimitFacts;
  /** What counts for one key only. */
  readonly keys: Map<string, KeyFacts>;
  readonly gates: Map<string, Gate>;
}

/** A limit with one key. */
export interface Gate {
  readonly limit: LimitRow;
  readonly key: string;
  /** The jobs that hold a place. */
  readonly holders: Set<JobRow>;
  /** How many jobs wait in lanes of the gate. */
  waiting: number;
  /** The numbers of the tokens that rest, by the moment from when on they can be used again. */
  readonly tokens: Heap<number>;
  /** The lanes that the gate has closed, by the type of their jobs. */
  readonly closed: Map<TypeRow, ClosedLanes>;
  /** How many lanes lead through it. */
  lanes: number;
}

export interface ClosedLanes {
  readonly gate: Gate;
  /** In the order of their turns, see `LimitLane.at`. */
  readonly lanes: LazyHeap<LimitLane>;
  /** When the gate has to be looked at again. Undefined: when it is freed. */
  lookAt: number | undefined;
}

/** The jobs of one type that are under the same keys of limits. */
export interface LimitLane {
  readonly type: TypeRow;
  /** Unique among the lanes of its type. */
  readonly name: string;
  readonly limits: readonly LimitKey[];
  readonly gates: readonly Gate[];
  /** As the job that was written last has it, and so is `holds`. */
  weight: number;
  /** Whether its jobs keep their places while they wait for a retry. */
  holds: boolean;
  /** By priority. */
  readonly lanes: Map<number, Lane>;
  /** Those with entries, highest priority first. */
  readonly busy: Lane[];
  /** Jobs that have kept their places and can run again, before all others. */
  readonly kept: Lane;
  /** How many of its jobs are open: blocked, scheduled, ready or running. */
  members: number;
  /** How many of its jobs wait here. */
  live: number;
  /** Where it waits for a claim: undefined while it is visited, or has no jobs. */
  state: LaneState | undefined;
  /** Its turn, and how many jobs it has been given in it. */
  turn: number;
  took: number;
}

/** `at`: the key in the heap, by the priority of the first job, then by turn. `gate` undefined: it is open. */
export interface LaneState {
  readonly at: number;
  readonly weight: number;
  readonly gate: Gate | undefined;
}

/** The lanes of limits of one type. */
export interface TypeLimits {
  readonly lanes: Map<string, LimitLane>;
  readonly open: LazyHeap<LimitLane>;
  /** The sum of the weights of those. */
  openWeight: number;
  /** By the moment when they have to be looked at again. */
  readonly looks: LazyHeap<ClosedLanes>;
  /** How many jobs wait in its lanes, those left out that have kept their places. */
  waiting: number;
}

/** The lane in which a job waits while it is ready. One that has its places already waits like a job without limits. */
export function queueOf(row: JobRow): Lane {
  const { lane, lease } = row;
  if (lane.limited === undefined || lease === undefined) return lane;
  return lease === keptPlaces ? lane.limited.lane.kept : lane.limited.plain;
}

export function chainOf(row: JobRow): JobRow {
  return row.chain ?? row;
}

export function lastOf(chain: JobRow): JobRow {
  return chain.last ?? chain;
}

/** The status of a chain follows from its last job. */
export function chainStatusOf(chain: JobRow): ChainStatus {
  const { status } = lastOf(chain);
  return status === "completed" || status === "failed" || status === "cancelled" ? status : "active";
}

/** Whether a job waits that no worker has ever claimed. */
export function isUnclaimed({ status, fence }: JobRow): boolean {
  return fence === 0 && (status === "ready" || status === "scheduled");
}

/** Whether this job's end was the end of its chain. */
export function endsChain(row: JobRow): boolean {
  return (
    row.status === "failed" || row.status === "cancelled" || (row.status === "completed" && row.next === undefined)
  );
}

export function statusAt(row: JobRow, now: number): JobStatus {
  switch (row.status) {
    case "scheduled":
      return row.readyAt <= now ? "ready" : "scheduled";
    case "waiting":
      return (row.wait?.until ?? Infinity) <= now ? "ready" : "waiting";
    case "running":
      return row.lease === undefined || row.lease.until <= now ? "ready" : "running";
    case "removed":
      return "cancelled";
    default:
      return row.status;
  }
}
