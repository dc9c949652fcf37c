import type { Chore } from "../model/chore.ts";
import type { InspectReply, InspectRequest, RepairOutcome, RepairRequest } from "./doctor.ts";
import type { JobStart } from "../model/job-start.ts";
import type { LockHolder } from "../model/lock-holder.ts";
import type { Fence, LostReason, Outcome } from "../model/outcome.ts";
import type { BlockerRecord, ChainRecord, ClaimedJob, JobRecord, WorkerRecord } from "../model/record.ts";
import type { ChainStatus, JobStatus } from "../model/status.ts";

/**
 * Where chains live. An adapter translates these calls into its store and decides nothing.
 *
 * The contract, for every method: results stand in the order of the request; what is not found or not allowed is a value,
 * not an exception; the store's own time counts unless `now` is given; `tx` given means exactly that transaction;
 * without `tx` a call is a transaction of its own and survives a crash once it has returned. A value that refuses has
 * written nothing and leaves a given `tx` usable. What the store throws inside a given `tx` is thrown on unchanged;
 * elsewhere it becomes a ChainwrightError (`transaction-conflict`, `store-unavailable`, `not-migrated`, `closed`...)
 * with the store's own error as `cause`. `@chainwright/conformance` holds every rule as a test.
 *
 * @example
 * function counted<Tx>(adapter: StateAdapter<Tx>, onExchange: () => void): StateAdapter<Tx> {
 *   return {
 *     ...adapter,
 *     exchange: (request, options) => {
 *       onExchange();
 *       return adapter.exchange(request, options);
 *     },
 *   };
 * }
 */
export interface StateAdapter<Tx = unknown> {
  /**
   * Runs `run` in one transaction: commits when it resolves, rolls back and rethrows when it rejects. With `holding` it
   * commits only if that fence still holds then, and nobody takes the job from it in between; otherwise it rolls back and
   * rejects with {@link lostError}.
   */
  transaction<T>(run: (tx: Tx) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** Whether a thrown value says that a transaction lost a race (deadlock, serialization failure) and may be run again. */
  isConflict(error: unknown): boolean;
  /**
   * Whether this code was called from the callback of a transaction that is still open, so that a call without `tx` would wait
   * for its own caller. Such calls are made by themselves, each where it stands, for the store to refuse; all others may share
   * a statement. Left out by stores where nobody waits for an open transaction.
   *
   * A store that has it lets no lease run out while a transaction keeps everyone from renewing: after a transaction of its own
   * that took long, leases that held at its beginning hold for as long again, before anyone else can claim.
   */
  insideTransaction?(): boolean;
  /**
   * Which transaction a handle that the application passed as `tx` stood for when something was last written with it: another
   * value for another transaction. Undefined: no one knows, and the handle stands for one. Left out by stores that cannot tell.
   */
  transactionOf?(tx: Tx): unknown;
  /**
   * How many calls and transactions can be under way at once, so many connections the adapter has at most. Undefined: there is no
   * such limit, or it is not known.
   */
  readonly connections?: number | undefined;
  /**
   * Whose transactions calls of this store wait for now, of this process and of others. It may cost the store something: only
   * asked while a call has waited for long. Left out by stores in which nobody holds rows.
   */
  lockHolders?(options: CallOptions<Tx>): Promise<readonly LockHolder[]>;

  /** Writes chains. Each call in the batch is all or nothing by itself. */
  start(calls: readonly StartCall[], options: CallOptions<Tx>): Promise<readonly Reply<readonly StartReply[]>[]>;
  /**
   * Settles outcomes, carries on one bounded step of what ended chains still have to release, then promotes due jobs and
   * claims, in one round trip. See {@link Consequences.releasing}; without a claim it does the first two.
   *
   * With `waitMs`, outcomes whose rows others hold keep neither the other outcomes nor the claim waiting.
   */
  exchange(request: ExchangeRequest, options: CallOptions<Tx>): Promise<ExchangeReply>;
  /** Settles outcomes inside a transaction, or by themselves. Each outcome stands alone: one lost leaves the rest. */
  settle(outcomes: readonly Outcome[], options: CallOptions<Tx>): Promise<readonly SettleReply[]>;
  /** Extends the leases of all that a worker holds, in one statement that waits for no one, and reports those it has not extended. */
  renew(request: RenewRequest, options: CallOptions<Tx>): Promise<readonly UnrenewedLease[]>;
  /** Says that a worker is alive (or gone, with `aliveForMs: 0`). */
  heartbeat(heartbeat: Heartbeat, options: CallOptions<Tx>): Promise<void>;

  // The calls below name no chain and no job twice: the engine sees to that.

  /** Makes scheduled jobs ready. All or nothing. */
  trigger(jobIds: readonly string[], options: CallOptions<Tx>): Promise<Reply<readonly JobRef[]>>;
  /**
   * Ends active chains as cancelled. All or nothing. All that are named end before anything follows: of `[A, B]`, where B
   * waits for A, both end as cancelled, neither as failed, whatever the order, and neither stands among the consequences.
   */
  cancel(items: readonly CancelItem[], options: CallOptions<Tx>): Promise<Reply<readonly CancelReply[]>>;
  /**
   * Makes failed and cancelled chains active again, from the job where they stopped. Its attempts are counted anew, its fence
   * is not. All or nothing. A chain that has ended gets its deduplication key back; where another chain holds it by now, the
   * call is refused (`chain-not-retryable`, that chain among the references).
   *
   * All that are named go on before anything follows: of `[A, B]`, where B failed because of A, both count as retried,
   * whatever the order. B's job is `blocked` in its reply, and B does not stand among the chains that A blocks again. A
   * blocker that failed or was cancelled stands in a chain's way only if it has not come back once the call is done.
   *
   * Dependents that failed because of a chain are blocked again with it, in the order of the jobs' ids, and so on upwards.
   * One stays failed where another of its blockers has failed too, or where another chain holds its deduplication key.
   */
  retry(items: readonly RetryItem[], options: CallOptions<Tx>): Promise<Reply<readonly RetryReply[]>>;
  /** Deletes chains with their jobs. Refused (`chain-referenced`) while a job that is not completed is blocked by one, unless cascade. */
  remove(request: RemoveRequest, options: CallOptions<Tx>): Promise<Reply<readonly RemoveReply[]>>;

  getChains(ids: readonly string[], options: CallOptions<Tx>): Promise<readonly (ChainRecord | undefined)[]>;
  getJobs(ids: readonly string[], options: CallOptions<Tx>): Promise<readonly (JobRecord | undefined)[]>;
  /** Keyset pages by id. */
  listChains(query: ChainQuery, options: CallOptions<Tx>): Promise<readonly ChainRecord[]>;
  /** Keyset pages by id. */
  listJobs(query: JobQuery, options: CallOptions<Tx>): Promise<readonly JobRecord[]>;
  /** Scheduled jobs, the soonest due first and by id where they are due together: keyset pages by both. */
  listDue(query: DueQuery, options: CallOptions<Tx>): Promise<readonly JobRecord[]>;
  /**
   * The id of the job that stands `limit` places after `after` in the order of all jobs' ids: how far a search goes that
   * looks at so many rows at most. Undefined: there are fewer.
   */
  reach(query: PageQuery, options: CallOptions<Tx>): Promise<string | undefined>;
  /** The blockers of a job, in position order, from `afterPosition` (exclusive) on. */
  listBlockers(query: BlockerQuery, options: CallOptions<Tx>): Promise<readonly BlockerRecord[]>;
  /** How many ready jobs of its type the ordinary claim would take before this one, counted up to `limit`. */
  countAhead(jobId: string, limit: number, options: CallOptions<Tx>): Promise<number>;
  /** Workers whose last heartbeat still holds, by start. */
  listWorkers(options: CallOptions<Tx>): Promise<readonly WorkerRecord[]>;
  /** Counts by type and status, without scanning what has ended. */
  count(options: CallOptions<Tx>): Promise<readonly JobCount[]>;

  /**
   * An id that `migrate` gave to the store: the same for every process that works on it, and another for every other store. Notify
   * adapters carry it with their messages, so that stores which share a broker do not take each other's hints for their own.
   */
  storeId(options: CallOptions<Tx>): Promise<string>;
  /**
   * One bounded pass of a chore of upkeep, or of each, see {@link Chore}. Each is a transaction of its own, and waits for no
   * other transaction. What a pass costs is in proportion to what it finds, whatever the store keeps.
   */
  maintain(request: MaintainRequest, options: CallOptions<Tx>): Promise<MaintainReply>;
  /**
   * Looks for what should never be, one bounded page at a time. Each page sees one committed state of the store, and waits for no
   * one: under any load a healthy store has no faults.
   */
  inspect(request: InspectRequest, options: Pick<CallOptions<Tx>, "now">): Promise<InspectReply>;
  /** Mends faults, each in a transaction of its own, under the locks of running work. What is not wrong any more stays as it is. */
  repair(request: RepairRequest, options: Pick<CallOptions<Tx>, "now">): Promise<readonly RepairOutcome[]>;
  /** Creates or upgrades what the store needs; answers the statements it ran, or with `dryRun` would run. */
  migrate(options?: { readonly dryRun?: boolean | undefined }): Promise<readonly string[]>;
  /** Lets go of what the adapter opened. Idempotent; later calls reject with `closed`. */
  close(): Promise<void>;
}

/**
 * What a transaction of a state adapter may take.
 *
 * @example
 * const holding: Fence = { jobId: claimed.id, workerId: worker.id, fence: claimed.fence };
 * const options: TransactionOptions = { holding };
 * await stateAdapter.transaction((tx) => stateAdapter.start([{ starts: [jobStart] }], { tx }), options);
 */
export interface TransactionOptions {
  /** The attempt that writes here: the transaction commits only while the job is still its own. */
  readonly holding?: Fence | undefined;
}

/**
 * What every call to a state adapter takes.
 *
 * @example
 * await stateAdapter.transaction(async (tx) => {
 *   const inHere: CallOptions<typeof tx> = { tx };
 *   await stateAdapter.cancel([{ chainId: id, reason: "out of stock" }], inHere);
 *   await stateAdapter.start([{ starts: [jobStart] }], inHere);
 * });
 */
export interface CallOptions<Tx> {
  readonly tx?: Tx | undefined;
  /** Milliseconds since 1970; only tests set it. */
  readonly now?: number | undefined;
  /**
   * Without `tx`: about how long the call may wait for rows that other transactions hold, in milliseconds. An outcome that would
   * have to wait longer is `busy`; of other calls it is a `transaction-conflict`. Left out: as long as the store is set to.
   * Stores in which nobody holds rows ignore it.
   */
  readonly waitMs?: number | undefined;
}

/** A value, or the reason why a call wrote nothing. */
export type Reply<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly refusal: Refusal };

/** Why a call wrote nothing. */
export interface Refusal {
  readonly code:
    | "duplicate-id"
    | "chain-not-found"
    | "job-not-found"
    | "job-type-mismatch"
    | "chain-not-active"
    | "job-not-scheduled"
    | "chain-not-retryable"
    | "chain-referenced"
    | "blocker-cycle";
  /** The chain or job that it is about. */
  readonly id: string;
  /** With `job-type-mismatch`: the type it has. With `chain-not-active` and the like: the status it has. */
  readonly actual?: string | undefined;
  /**
   * With `chain-referenced`: ids of chains blocked by it. With `chain-not-retryable`: chains that stand in its way. With
   * `blocker-cycle`: the way round, which may lead over chains that failed or were cancelled, for they can come back.
   */
  readonly references?: readonly string[] | undefined;
}

/** The chains of one call: all of them start, or none. */
export interface StartCall {
  readonly starts: readonly JobStart[];
}

/** A chain that was started, or that was there. */
export interface StartReply {
  /** The chain's id: the one asked for, or the one that holds the deduplication key. */
  readonly id: string;
  readonly deduplicated: boolean;
  readonly status: ChainStatus;
  /** JSON text; of a deduplicated start the input of the chain that was there. */
  readonly input: string;
  readonly createdAt: number;
  /** Every job written for it: its first one, and those of blockers begun with it. Empty when deduplicated. */
  readonly jobs: readonly StartedJob[];
}

/** A job that was written, and what it waits for. */
export interface StartedJob extends JobRef {
  /** `failed`: a blocker had failed already. */
  readonly status: "ready" | "scheduled" | "blocked" | "failed";
  /** With `scheduled`: milliseconds from now until it is due. */
  readonly dueInMs: number | undefined;
}

/** Names a job, its chain and its type. */
export interface JobRef {
  readonly jobId: string;
  readonly chainId: string;
  readonly typeName: string;
}

/** What a worker hands in, and what it asks for, in one round trip. */
export interface ExchangeRequest {
  readonly outcomes: readonly Outcome[];
  /** Undefined: claim nothing. */
  readonly claim: Claim | undefined;
}

/** What a worker asks for. */
export interface Claim {
  readonly workerId: string;
  /** In the order in which types of equal priority are looked at; the engine turns it round between claims. */
  readonly types: readonly ClaimType[];
  readonly limit: number;
}

/** A job type that a worker handles, and how long it wants to keep a job of it. */
export interface ClaimType {
  readonly typeName: string;
  readonly leaseMs: number;
}

/** What became of the outcomes, and the jobs that are the worker's now. */
export interface ExchangeReply {
  readonly settled: readonly SettleReply[];
  /**
   * What this exchange released for chains that ended before. `releasing`: the next exchange can carry on at once. What
   * other transactions hold is not meant by it; `nextDueInMs` then says when to try again.
   */
  readonly released: Consequences;
  readonly claimed: readonly ClaimedJob[];
  /**
   * With a claim that was not filled: milliseconds until the next scheduled job of these types is due or the next lease of
   * theirs runs out, whichever is first. Undefined: nothing is due.
   */
  readonly nextDueInMs: number | undefined;
}

/**
 * What became of an outcome: written; lost, because the attempt's lease was; refused; or busy: other transactions hold its rows,
 * nothing was written, and the same outcome may be sent again. Only calls with `waitMs` report `busy`.
 */
export type SettleReply =
  | ({ readonly status: "settled" } & Settled)
  | { readonly status: "lost"; readonly reason: LostReason }
  | { readonly status: "refused"; readonly refusal: Refusal }
  | { readonly status: "busy" };

/** What a settled outcome brought about, beyond itself. */
export interface Settled extends JobRef, Consequences {
  /** With `continued`: the jobs written, the next step first. */
  readonly started: readonly StartedJob[];
}

/** What the end of a chain, or its return, did to chains that wait for it, however far. */
export interface Consequences {
  /** Became ready or scheduled: their last blocker completed. */
  readonly unblocked: readonly StartedJob[];
  /** Failed with their chains: a blocker failed or was cancelled. */
  readonly failed: readonly JobRef[];
  /** Blocked again: a blocker that had failed was retried. */
  readonly reblocked: readonly JobRef[];
  /**
   * Whether jobs are left that still have to be released or failed. One call does this for a bounded number of jobs, and for
   * none that another transaction has locked. What is left is stored in the same transaction, and each later exchange, of any
   * worker or client, carries on one more step of it. Until then these jobs stay blocked.
   */
  readonly releasing: boolean;
}

/** All that a worker holds. */
export interface RenewRequest {
  readonly workerId: string;
  readonly held: readonly HeldLease[];
}

/** A lease that a worker holds, and how long it wants to keep it. */
export interface HeldLease {
  readonly jobId: string;
  readonly fence: number;
  readonly leaseMs: number;
}

/**
 * A lease that was not extended, and why: the job is not its worker's any more; or `busy`, because a transaction holds its row, so
 * that it is neither extended nor lost for now, and no one else can claim it.
 */
export interface UnrenewedLease {
  readonly fence: Fence;
  readonly reason: LostReason | "busy";
}

/** A worker's word that it is alive. */
export interface Heartbeat {
  readonly workerId: string;
  readonly name: string;
  readonly typeNames: readonly string[];
  readonly concurrency: number;
  readonly holds: number;
  /** How long this word holds. 0: the worker is gone. */
  readonly aliveForMs: number;
}

/** A chain to end as cancelled. */
export interface CancelItem {
  readonly chainId: string;
  readonly reason: string | undefined;
}

/** What cancelling a chain brought about. */
export interface CancelReply extends JobRef, Consequences {
  /** The worker whose attempt was under way. */
  readonly interrupted: string | undefined;
}

/** A failed or cancelled chain to take up again. */
export interface RetryItem {
  readonly chainId: string;
  /** JSON text that replaces the input of the job where it stopped. */
  readonly input: string | undefined;
  /** The type the caller believes that job has; refused with `job-type-mismatch` otherwise. Undefined: any. */
  readonly typeName: string | undefined;
}

/** What taking a chain up again brought about. */
export interface RetryReply extends Consequences {
  readonly job: StartedJob;
}

/** Chains to delete. */
export interface RemoveRequest {
  readonly chainIds: readonly string[];
  /** Also delete the chains blocked by them, and the ones blocked by those. */
  readonly cascade: boolean;
}

/** A chain that was deleted. */
export interface RemoveReply {
  readonly chainId: string;
  readonly typeName: string;
  /** The attempt that was under way. */
  readonly interrupted: InterruptedAttempt | undefined;
}

/** An attempt whose job was deleted under it. */
export interface InterruptedAttempt {
  readonly jobId: string;
  readonly workerId: string;
}

/** A page: rows after `after` (exclusive) in the order of their ids. */
export interface PageQuery {
  readonly after: string | undefined;
  readonly limit: number;
  readonly order: "ascending" | "descending";
}

/** Which chains. All that is given has to hold. */
export interface ChainQuery extends PageQuery {
  /** Rows up to this id (inclusive) in the order asked for; undefined: all that follow. */
  readonly until?: string | undefined;
  readonly typeNames: readonly string[] | undefined;
  readonly statuses: readonly ChainStatus[] | undefined;
  readonly ids: readonly string[] | undefined;
  /** Milliseconds since 1970; from inclusive, until exclusive. */
  readonly createdFrom: number | undefined;
  readonly createdUntil: number | undefined;
  /** Only chains whose errors contain this text, case-sensitive: the JSON text of them, as it stands. The engine has escaped what JSON escapes. */
  readonly errorText: string | undefined;
}

/** Which jobs. All that is given has to hold. */
export interface JobQuery extends Omit<ChainQuery, "statuses"> {
  readonly statuses: readonly JobStatus[] | undefined;
  /** Only jobs of this chain. The order is then that of their steps (ids may disagree where clocks do); `after` is still a job's id. */
  readonly chainId: string | undefined;
  /** Only jobs that this chain blocks, or blocked. */
  readonly blockedBy: string | undefined;
}

/** Which scheduled jobs, in the order in which they are due. */
export interface DueQuery {
  readonly typeNames: readonly string[] | undefined;
  /** Exclusive: what the page before ended with. */
  readonly after: { readonly dueAt: number; readonly id: string } | undefined;
  readonly limit: number;
}

/** Which blockers of a job. */
export interface BlockerQuery {
  readonly jobId: string;
  readonly afterPosition: number | undefined;
  readonly limit: number;
}

/** How many jobs of a type stand in a status. */
export interface JobCount {
  readonly typeName: string;
  readonly status: JobStatus;
  readonly count: number;
  /** With `ready`: milliseconds since the oldest of them became ready. */
  readonly oldestReadyMs: number | undefined;
}

/** What a pass of upkeep may do. */
export interface MaintainRequest {
  /** Undefined: all of them, one after the other. */
  readonly chore?: Chore | undefined;
  /** Delete completed and cancelled chains that ended longer ago; undefined: keep them. */
  readonly completedMs: number | undefined;
  /** The same for failed ones. */
  readonly failedMs: number | undefined;
  /** The most chains to delete in this pass, and the most of other things to do for about the same cost. */
  readonly limit: number;
}

/** What a pass of upkeep did. */
export interface MaintainReply {
  /** Chains deleted. */
  readonly removed: number;
  /** Whether another pass would find more to do, in any of the chores asked for. */
  readonly more: boolean;
}
