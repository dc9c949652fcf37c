import type { LockHolder } from "../model/lock-holder.ts";
import type { Outcome } from "../model/outcome.ts";
import type { BlockerCounts, BlockerRecord, ChainRecord, JobRecord, WorkerRecord } from "../model/record.ts";
import type { NotesRecord } from "../model/note.ts";
import type { TickRecord } from "../model/recurring.ts";
import type { SignalRecord } from "../model/signal.ts";
import type { CallOptions, CallTime, TransactionOptions } from "./call.ts";
import type { CancelItem, CancelReply, RemoveReply, RemoveRequest, RetryItem, RetryReply } from "./change.ts";
import type { CompensateItem, CompensateReply } from "./compensate.ts";
import type { InspectReply, InspectRequest, RepairOutcome, RepairRequest } from "./doctor.ts";
import type { ExchangeReply, ExchangeRequest, SettleReply } from "./exchange.ts";
import type { Heartbeat, HeartbeatReply } from "./heartbeat.ts";
import type { KeptReads } from "./kept.ts";
import type { RenewRequest, UnrenewedLease } from "./lease.ts";
import type { LimitChange, LimitDeclaration, LimitQuery, LimitRecord } from "./limit.ts";
import type { MaintainReply, MaintainRequest } from "./maintain.ts";
import type { MigrateOptions, SchemaState } from "./migrate.ts";
import type { NoteItem, NoteReply, NotesQuery } from "./note.ts";
import type { PausedType, PauseRequest } from "./pause.ts";
import type {
  AwaitedChain,
  BlockerCountQuery,
  BlockerQuery,
  ChainQuery,
  DueQuery,
  CountQuery,
  JobCount,
  JobQuery,
  PageQuery,
  QueuedCount,
} from "./query.ts";
import type { Reply, WaitingJob } from "./reply.ts";
import type {
  DueSchedules,
  ScheduleChange,
  ScheduleList,
  ScheduleQuery,
  TickItem,
  TickQuery,
  TickReply,
} from "./schedule.ts";
import type { SignalItem, SignalQuery, SignalReply } from "./signal.ts";
import type { StartCall, StartReply } from "./start.ts";
import type { statePortVersion } from "./version.ts";

/**
 * Where chains live. An adapter translates these calls into its store and decides nothing.
 *
 * The contract, for every method: results are in the order of the request; what is not found or not allowed is a value,
 * not an exception; the store's own time counts unless `now` is given; `tx` given means exactly that transaction;
 * without `tx` a call is a transaction of its own and survives a crash once it has returned. A refusal has
 * written nothing and leaves a given `tx` usable. An error of the store inside a given `tx` is thrown unchanged;
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
export interface StateAdapter<Tx = unknown> extends KeptReads<Tx> {
  /**
   * The version of this port that the adapter implements: the number itself, not `statePortVersion`. `createClient` refuses an
   * adapter of another version and says which package to update.
   */
  readonly portVersion: typeof statePortVersion;
  /**
   * Runs `run` in one transaction: commits when it resolves, rolls back and rethrows when it rejects. With `holding` it
   * commits only if that fence is still valid then, and no one can claim the job in between; otherwise it rolls back and
   * rejects with {@link lostError}.
   */
  transaction<T>(run: (tx: Tx) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** Whether a thrown value says that a transaction lost a race (deadlock, serialization failure) and may be run again. */
  isConflict(error: unknown): boolean;
  /**
   * Whether this code was called from the callback of a transaction that is still open, so that a call without `tx` would wait
   * for its own caller. Such calls do not share a statement, so that the store can refuse them; all others may share
   * one. Stores in which no call waits for an open transaction leave it out.
   *
   * A store that has it lets no lease run out while a transaction blocks renewals: after a long transaction of its own it extends
   * the leases that were valid at its beginning by the time that it took, before anyone else can claim.
   */
  insideTransaction?(): boolean;
  /**
   * Identifies the transaction that was open on a handle of the application when something was last written with it: each
   * transaction has another value. Undefined: unknown, so the handle counts as one transaction. Stores that cannot know leave it out.
   */
  transactionOf?(tx: Tx): unknown;
  /**
   * The most calls and transactions that can run at the same time, which is the size of the connection pool. Undefined: there is
   * no limit, or it is unknown.
   */
  readonly connections?: number | undefined;
  /** Whether calls take real time, as those to a server do: a virtual clock then stands still until they have ended. */
  readonly takesRealTime?: boolean | undefined;
  /**
   * The sessions that hold locks which calls of this or other processes wait for now. It may be expensive, so it is called only
   * when a call has waited for a long time. Stores without row locks leave it out.
   */
  lockHolders?(options: CallOptions<Tx>): Promise<readonly LockHolder[]>;

  /** Writes chains. Each call of the batch is all or nothing. */
  start(calls: readonly StartCall[], options: CallOptions<Tx>): Promise<readonly Reply<readonly StartReply[]>[]>;
  /**
   * In one round trip: settles outcomes, performs one bounded step of pending releases, then promotes due jobs and claims. See
   * `Consequences.releasing`. Without a claim it does the first two.
   *
   * With `waitMs`, outcomes whose rows are locked delay neither the other outcomes nor the claim.
   */
  exchange(request: ExchangeRequest, options: CallOptions<Tx>): Promise<ExchangeReply>;
  /** Settles outcomes, inside a given transaction or in one of its own. Outcomes are independent: a lost one does not affect the others. */
  settle(outcomes: readonly Outcome[], options: CallOptions<Tx>): Promise<readonly SettleReply[]>;
  /** Records what undoes the steps of running attempts, in one statement. The items are independent. */
  compensate(items: readonly CompensateItem[], options: CallOptions<Tx>): Promise<readonly CompensateReply[]>;
  /**
   * Writes what running attempts note about their jobs, in the given order. An attempt may be named more than once. The items are
   * independent, and each is all or nothing.
   *
   * An attempt that does not hold its job is `lost`, also one whose lease has run out while no one has claimed the job since. Without
   * `tx` it waits for no row that another transaction has locked: such an item is `busy`.
   *
   * The first memo of a name stays. A checkpoint and a progress never replace those of a later claim of the job, and a line is written
   * once. Memos and checkpoint are in each later claim of the job, see `ClaimedJob`, also after a retry of its chain; a claim returns all
   * that was committed before it. They are forgotten by `maintain` some time after the job has completed, and the rest when its chain is
   * deleted.
   */
  note(items: readonly NoteItem[], options: CallOptions<Tx>): Promise<readonly NoteReply[]>;
  /** Extends all leases of a worker in one statement that waits for no lock, and returns those that it did not extend. */
  renew(request: RenewRequest, options: CallOptions<Tx>): Promise<readonly UnrenewedLease[]>;
  /** Records that a worker is alive, or gone with `aliveForMs: 0`. */
  heartbeat(heartbeat: Heartbeat, options: CallOptions<Tx>): Promise<HeartbeatReply>;
  /**
   * Pauses and resumes job types. Once it has returned, or the given `tx` has committed, no claim that begins later takes a job of a
   * paused type, whichever worker claims. It changes nothing else about the jobs. A pause whose time has passed is none.
   */
  setPauses(request: PauseRequest, options: CallOptions<Tx>): Promise<void>;
  /**
   * Changes limits, in the given order, all or nothing. A change counts for every claim that begins after it has committed; jobs
   * that run are left alone. Returns for each whether the store knows its limit: something was declared or overridden before, or is
   * now. `reset`, `pause` and `resume` of a limit that it does not know write nothing.
   */
  changeLimits(changes: readonly LimitChange[], options: CallOptions<Tx>): Promise<readonly boolean[]>;

  /**
   * Writes ticks: the chains that they start, their rows on record, and how their schedules advance. The items are independent of each
   * other, and each is all or nothing. It waits for no lock of a schedule: one that another transaction has locked is `taken`.
   *
   * An item with `advance` is written only if its schedule has that revision and that next tick, is not paused, and is due by the
   * store's time; otherwise it is `taken`. Then the schedule gets the new next tick, `lastAt` and `tzVersion`, `missed` is added to
   * `missedCount`, `skippedCount` grows by the starts that were left out for an overlap, and `lastChainId` is the chain of its last
   * start. Without `advance` the schedule need only exist, and stays as it is.
   *
   * At most one tick of a schedule and an instant is on record, ever: a start whose instant is on record is `known` and starts nothing.
   * Without `advance` it replaces a tick on record that has no chain. Chains start as by {@link start}, deduplication included.
   *
   * With `overlap: "skip"` a start is left out while the chain of the schedule's latest start is active, an earlier start of the same
   * item included. The status of that chain is read in the statement that writes.
   */
  tick(items: readonly TickItem[], options: CallOptions<Tx>): Promise<readonly TickReply[]>;
  /**
   * Creates, changes and deletes schedules. All or nothing. Returns the revision of each, which is 1 for a new schedule, and undefined
   * for a deleted one. A change writes all settings. It changes nothing that ticks write: `lastAt`, `lastChainId`, the counts. A new
   * schedule has none of these.
   */
  changeSchedules(
    changes: readonly ScheduleChange[],
    options: CallOptions<Tx>,
  ): Promise<Reply<readonly (number | undefined)[]>>;

  // The engine guarantees that the calls above and below name no schedule, no chain and no job twice.
  /**
   * Hands signals to chains and to topics, in the given order, all or nothing.
   *
   * A signal for a chain is stored behind the chain's other signals. If the chain's open job has its type and waits, the job takes it,
   * and its wait ends if that was enough, see {@link endedBy}: the job is ready, due now. Otherwise the signal stays for a job that waits
   * later. A signal whose id the chain has on record already writes nothing.
   *
   * A signal for a topic goes in the same way to the chain of each job of its type that waits for the topic when the call commits, and,
   * while it is kept, of each that begins to wait for it.
   *
   * A job that begins to wait first gets what is kept for its topics, stored behind the chain's other signals. Then it takes signals of
   * its type that no job has taken, the oldest first, until its wait ends.
   *
   * Refused with `chain-not-found` and `chain-not-active`, and with `too-many-signals` where a signal for a chain would have to stay
   * beside {@link mostBufferedSignals} others.
   */
  signal(items: readonly SignalItem[], options: CallOptions<Tx>): Promise<Reply<readonly SignalReply[]>>;
  /**
   * Makes scheduled jobs ready. One that waits for signals is none of them. Refused for a job that follows a stopped chain and that no
   * worker has claimed: it waits for the end of an attempt of that chain. All or nothing.
   */
  trigger(jobIds: readonly string[], options: CallOptions<Tx>): Promise<Reply<readonly WaitingJob[]>>;
  /**
   * Ends active chains as cancelled. All or nothing. All named chains end before any consequence: of `[A, B]`, where B
   * waits for A, both end as cancelled and neither as failed, in any order, and neither is among the consequences.
   */
  cancel(items: readonly CancelItem[], options: CallOptions<Tx>): Promise<Reply<readonly CancelReply[]>>;
  /**
   * Makes failed and cancelled chains active again, from the job where they stopped. Its attempts restart at 1, its fence
   * does not. All or nothing. The chain gets its deduplication key back; if another chain holds the key by now, the
   * call is refused (`chain-not-retryable`, that chain among the references).
   *
   * All named chains become active before any consequence: of `[A, B]`, where B failed because of A, both count as retried,
   * in any order. B's job is `blocked` in its reply, and B is not among the chains that A blocks again. A
   * failed or cancelled blocker prevents the retry of a chain only if it is still failed or cancelled at the end of the call.
   *
   * Dependents that failed because of a chain are blocked again with it, in the order of the jobs' ids, and so on upwards.
   * One stays failed where another of its blockers has failed too, or where another chain holds its deduplication key.
   */
  retry(items: readonly RetryItem[], options: CallOptions<Tx>): Promise<Reply<readonly RetryReply[]>>;
  /** Deletes chains with their jobs. Refused (`chain-referenced`) while a job that is not completed is blocked by one, unless cascade. */
  remove(request: RemoveRequest, options: CallOptions<Tx>): Promise<Reply<readonly RemoveReply[]>>;
  getChains(ids: readonly string[], options: CallOptions<Tx>): Promise<readonly (ChainRecord | undefined)[]>;
  /** For each deduplication key the chain that holds it, so that a start with the key would return it. */
  getKeyHolders(keys: readonly string[], options: CallOptions<Tx>): Promise<readonly (ChainRecord | undefined)[]>;
  /**
   * Reads chains, and notes for each active one that a process awaits its end: the call that ends it names it in
   * `Consequences.awaited`, so that only such ends are announced to other processes. It waits for no lock: a chain whose row
   * another transaction has locked is not noted. Without this method all ends are announced.
   */
  noteAwaited?(ids: readonly string[], options: CallOptions<Tx>): Promise<readonly AwaitedChain[]>;
  getJobs(ids: readonly string[], options: CallOptions<Tx>): Promise<readonly (JobRecord | undefined)[]>;
  /** Keyset pages by id. */
  listChains(query: ChainQuery, options: CallOptions<Tx>): Promise<readonly ChainRecord[]>;
  /** Keyset pages by id. */
  listJobs(query: JobQuery, options: CallOptions<Tx>): Promise<readonly JobRecord[]>;
  /** Scheduled jobs, the soonest due first and by id where they are due together: keyset pages by both. */
  listDue(query: DueQuery, options: CallOptions<Tx>): Promise<readonly JobRecord[]>;
  /**
   * The id of the job that is `limit` places after `after` in the order of all jobs' ids: the end of a search that reads at most
   * `limit` rows. Undefined: there are fewer.
   */
  reach(query: PageQuery, options: CallOptions<Tx>): Promise<string | undefined>;
  /** The blockers of a job, in position order, from `afterPosition` (exclusive) on. */
  listBlockers(query: BlockerQuery, options: CallOptions<Tx>): Promise<readonly BlockerRecord[]>;
  /** Counts the blockers of a job while it is `blocked`. Undefined: it is not, or there is no such job. */
  countBlockers(query: BlockerCountQuery, options: CallOptions<Tx>): Promise<BlockerCounts | undefined>;
  /** How many ready jobs of the same type, version and pool a claim would take before this one, counted up to `limit`. */
  countAhead(jobId: string, limit: number, options: CallOptions<Tx>): Promise<number>;
  /** The signals of a chain, in the order of their positions, after one of them. A chain that does not exist has none. */
  listSignals(query: SignalQuery, options: CallOptions<Tx>): Promise<readonly SignalRecord[]>;
  /** What the attempts of jobs have noted. Undefined: there is no such job. */
  listNotes(query: NotesQuery, options: CallOptions<Tx>): Promise<readonly (NotesRecord | undefined)[]>;
  /** The job types that are paused, in the order of their names. */
  listPauses(options: CallOptions<Tx>): Promise<readonly PausedType[]>;
  /** Keys of limits, see `LimitQuery`. */
  listLimits(query: LimitQuery, options: CallOptions<Tx>): Promise<readonly LimitRecord[]>;
  /** The limits that were declared or overridden, in the order of their names. */
  listLimitDeclarations(options: CallOptions<Tx>): Promise<readonly LimitDeclaration[]>;
  /**
   * The schedules whose next tick is not later than the store's time, the longest due first and by id where they are due together.
   * Paused ones are never due, and cost nothing. It waits for no lock. With a limit of 0 it returns the time alone.
   */
  dueSchedules(limit: number, options: CallOptions<Tx>): Promise<DueSchedules>;
  /** Keyset pages by id, and the store's time. */
  listSchedules(query: ScheduleQuery, options: CallOptions<Tx>): Promise<ScheduleList>;
  /** Ticks on record. With chain ids: in any order, and none for a chain that no tick has started. */
  listTicks(query: TickQuery, options: CallOptions<Tx>): Promise<readonly TickRecord[]>;
  /** Workers whose last heartbeat is still valid, in the order of their starts. */
  listWorkers(options: CallOptions<Tx>): Promise<readonly WorkerRecord[]>;
  /** Counts by type and status, without a scan of ended jobs. */
  count(options: CallOptions<Tx> & CountQuery): Promise<readonly JobCount[]>;
  /** Counts jobs that are ready, scheduled or running by type, version, pool and status, in any order. Ended jobs cost nothing. */
  countQueued(options: CallOptions<Tx>): Promise<readonly QueuedCount[]>;

  /**
   * The id that `migrate` gave to the store: the same in every process, and different for every other store. Notify
   * adapters send it with their messages, so that stores which share a broker ignore each other's hints.
   */
  storeId(options: CallOptions<Tx>): Promise<string>;
  /**
   * One bounded pass of one chore, or of all of them, see `Chore`. Each is a transaction of its own and waits for no
   * lock. The cost of a pass is proportional to what it finds, not to the size of the store.
   */
  maintain(request: MaintainRequest, options: CallOptions<Tx>): Promise<MaintainReply>;
  /**
   * Looks for faults, one bounded page at a time. Each page reads one committed state of the store and waits for no lock. A
   * healthy store has no faults under any load.
   */
  inspect(request: InspectRequest, options: CallTime): Promise<InspectReply>;
  /** Repairs faults, each in a transaction of its own, with the locks that running work takes. A fault that no longer exists is left alone. */
  repair(request: RepairRequest, options: CallTime): Promise<readonly RepairOutcome[]>;
  /**
   * Creates or upgrades the schema so that processes of the version before continue to work. Returns the statements that it ran, or
   * with `dryRun` would run. A store that a newer version has upgraded stays as it is; `schema-too-new` where that version has
   * removed what this one needs.
   */
  migrate(options?: MigrateOptions): Promise<readonly string[]>;
  /** Reads the version of the schema. */
  schema(): Promise<SchemaState>;
  /** Closes what the adapter opened. Idempotent; later calls reject with `closed`. */
  close(): Promise<void>;
}
