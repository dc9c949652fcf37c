import type { Deduplication } from "../model/job-start.ts";
import type { WorkerRecord } from "../model/record.ts";
import type { PausedType } from "../ports/pause.ts";
import type { EndedStatus } from "../rules/rows.ts";
import type { ChainStatus, JobStatus, OnBlockerFailure } from "../model/status.ts";
import type { Tags } from "../model/tags.ts";
import type { Heap } from "./heap.ts";
import type { LazyHeap } from "./lazy-heap.ts";

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
  readonly context: string | undefined;
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

export interface DeduplicationRow extends Pick<Deduplication, "key" | "scope"> {
  readonly chain: JobRow;
  readonly until: number | undefined;
}

export interface WorkerRow {
  readonly worker: WorkerRecord;
  readonly aliveUntil: number;
}

export type PauseRow = Omit<PausedType, "endsInMs">;

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
  /** By the end of the lease. */
  readonly leases: LazyHeap<JobRow>;
  /** By priority. */
  readonly lanes: Map<number, Lane>;
  /** The lanes with entries, highest priority first: a claim reads only these. */
  readonly busy: Lane[];
}

/** The ready jobs of one type and priority, by position. An entry is checked when it is taken. */
export interface Lane {
  readonly type: TypeRow;
  readonly priority: number;
  /** In ascending position, from `head` on. */
  rows: (JobRow | undefined)[];
  head: number;
  /** By position: jobs that came back when a younger one was already in `rows`. */
  readonly older: Heap<JobRow>;
  /** How many ready jobs it has; the rest of the entries are stale. */
  live: number;
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
    case "running":
      return row.lease === undefined || row.lease.until <= now ? "ready" : "running";
    case "removed":
      return "cancelled";
    default:
      return row.status;
  }
}

/** The blocker chains of a job that are not completed, each once, in position order. */
export function openBlockers(blockers: readonly (JobRow | undefined)[]): JobRow[] {
  const open = new Set<JobRow>();
  for (const chain of blockers) if (chain !== undefined && chainStatusOf(chain) !== "completed") open.add(chain);
  return [...open];
}
