import type { ChainRecord } from "../model/record.ts";
import type { ChainStatus, JobStatus } from "../model/status.ts";
import type { Tags } from "../model/tags.ts";

/** A page: rows after `after` (exclusive) in the order of their ids. */
export interface PageQuery {
  readonly after: string | undefined;
  readonly limit: number;
  readonly order: "ascending" | "descending";
}

/** Limits which payloads a list reads. */
export interface PayloadQuery {
  /** Inputs and outputs with more bytes of UTF-8 are not read: the record says in `omitted` how large they are. Undefined: all are read. */
  readonly mostPayloadBytes?: number | undefined;
}

/** Selects chains that match all given conditions. */
export interface ChainQuery extends PageQuery, PayloadQuery {
  /** Rows up to this id (inclusive) in the given order; undefined: all that follow. */
  readonly until?: string | undefined;
  readonly typeNames: readonly string[] | undefined;
  readonly statuses: readonly ChainStatus[] | undefined;
  readonly ids: readonly string[] | undefined;
  /** Milliseconds since 1970; from inclusive, before exclusive. */
  readonly createdFrom: number | undefined;
  readonly createdBefore: number | undefined;
  /** Only chains whose errors, as JSON text, contain this text, case-sensitive. The engine has escaped what JSON escapes. */
  readonly errorText: string | undefined;
  /** Only chains that have all these tags. Undefined or empty: any. */
  readonly tags?: Tags | undefined;
  /** Only chains that were started with this deduplication key, whether or not they hold it. Undefined: any. */
  readonly key?: KeyQuery | undefined;
}

/** Selects deduplication keys: one, or those that begin with a text. */
export type KeyQuery = { readonly equals: string } | { readonly beginsWith: string };

/** Selects jobs that match all given conditions. */
export interface JobQuery extends Omit<ChainQuery, "statuses" | "tags" | "key"> {
  readonly statuses: readonly JobStatus[] | undefined;
  /** Only jobs of this chain. The order is then that of their steps, which may differ from that of their ids; `after` is still a job's id. */
  readonly chainId: string | undefined;
  /** Only jobs that this chain blocks, or blocked. */
  readonly blockedBy: string | undefined;
  /** Only the newest job of each of these chains: the open one, or the one with which it ended. Undefined: any. */
  readonly newestOf?: readonly string[] | undefined;
  /** Only failed jobs whose failure is of this kind, see `storedFailureKind`, and not older. Undefined: any jobs. */
  readonly failures?: { readonly kind: string | undefined; readonly since: number | undefined } | undefined;
}

/** Selects scheduled jobs, in the order in which they are due. */
export interface DueQuery extends PayloadQuery {
  readonly typeNames: readonly string[] | undefined;
  /** Exclusive: the last row of the previous page. */
  readonly after: { readonly dueAt: number; readonly id: string } | undefined;
  readonly limit: number;
}

/** Selects blockers of a job. */
export interface BlockerQuery extends PayloadQuery {
  /** One job, or several, each once: `afterPosition` and `limit` count for each of them. The jobs' pages may be in any order. */
  readonly jobId: string | readonly string[];
  readonly afterPosition: number | undefined;
  readonly limit: number;
  /** Only blockers with one of these statuses. Undefined: all. */
  readonly statuses?: readonly ChainStatus[] | undefined;
}

/** Selects the job whose blockers are counted: one job, or the newest job of a chain. */
export interface BlockerCountQuery {
  readonly of: "job" | "chain";
  readonly id: string;
}

/** The number of jobs of a type, version and pool that are ready, scheduled or running. */
export interface QueuedCount {
  readonly typeName: string;
  readonly version: number;
  /** Undefined: none. */
  readonly pool: string | undefined;
  readonly status: "ready" | "scheduled" | "running";
  readonly count: number;
}

/** Which jobs `count` counts. */
export interface CountQuery {
  /** Only those with one of these statuses, and at least one. Undefined: all. Without an open status no open job is read. */
  readonly statuses?: readonly JobStatus[] | undefined;
  /** Counts jobs that are ready, scheduled or running by version and pool as well, in the same look. */
  readonly byVersion?: boolean | undefined;
}

/** The number of jobs of a type with a status. */
export interface JobCount {
  readonly typeName: string;
  /** With `byVersion`, of the jobs that it counts so. */
  readonly version?: number | undefined;
  /** The same; undefined also where they are in none. */
  readonly pool?: string | undefined;
  readonly status: JobStatus;
  readonly count: number;
  /** With `ready`: milliseconds since the oldest of them became ready. */
  readonly oldestReadyMs: number | undefined;
  /** With `ready`: how many of them wait for a place of a limit. Undefined: none. They do not count for `oldestReadyMs`. */
  readonly limited?: number | undefined;
  /** With `limited`: milliseconds since the oldest of those became ready. */
  readonly oldestLimitedMs?: number | undefined;
}

/** A chain whose end a process awaits. */
export interface AwaitedChain {
  /** Undefined: there is no such chain. */
  readonly chain: ChainRecord | undefined;
  /** Whether its end will be announced. False also where it has ended. */
  readonly isNoted: boolean;
}
