import type { ChainStatus, JobStatus } from "../model/status.ts";
import type { ChainOf, CompletedChainOf } from "./chain.ts";
import type { AnyEnv } from "./env.ts";
import type { FailureFilter, FailureGroups, GroupFailuresOptions } from "./failure-groups.ts";
import type { StoredJobOf } from "./job.ts";
import type { JobHistory, JobHistoryOptions } from "./job-history.ts";
import type { JobCounts, JobExplanation, QueuedJobs, LostWorkerInfo, WorkerInfo } from "./job-reports.ts";
import type {
  BlockerFilter,
  ByChainId,
  ByJobId,
  ByKeyOfType,
  FilterOptions,
  InTransaction,
  LabelOptions,
  Page,
  PageOptions,
  PayloadOptions,
  NewestOfChains,
  SearchOptions,
  TypeFilter,
} from "./list-options.ts";
import type { UndeclaredName } from "./undeclared.ts";
import type { UnreadableJobs, UnreadableOptions } from "./unreadable.ts";

/* An alias; see `StartCalls`. */
/** The client's calls that read. They return `undefined` for a missing chain or job; pages are stable under concurrent writes. */
export type ReadCalls<in out E extends AnyEnv> = {
  /**
   * Returns a chain of the given type. Without a type it returns any chain, also one whose type the client does not declare;
   * `typeName` and `status` narrow the result. By a deduplication key it returns
   * the chain that holds the key; if none does, the newest one that was started with it.
   *
   * @example
   * const chain = await client.getChain({ id, typeName: "order.place" });
   * if (chain?.status === "completed") console.log(chain.output.receipt);
   * const same = await client.getChain({ typeName: "order.place", deduplicationKey: orderId });
   */
  getChain<Name extends E["entries"] | UndeclaredName = UndeclaredName>(
    options: (ChainOfType<Name> | ByKeyOfType<Name>) & InTransaction<E["tx"]>,
  ): Promise<ChainOf<E, Name> | undefined>;

  /**
   * Returns a job of the given type. Without a type it returns any job, also one whose type the client does not declare, and
   * `typeName` narrows the result.
   *
   * @example
   * const job = await client.getJob({ id });
   * console.log(job?.status, job?.lastError?.message);
   */
  getJob<Name extends E["names"] | UndeclaredName = UndeclaredName>(
    options: JobOfType<Name> & InTransaction<E["tx"]>,
  ): Promise<StoredJobOf<E, Name> | undefined>;

  /**
   * Waits until a chain has completed. Awaiting many chains costs no more statements than awaiting one.
   *
   * @param wait `timeoutMs` is a minute by default; `Infinity` waits without a limit.
   * @throws `chain-failed`, `chain-cancelled`, `await-timeout`, `chain-not-found`, or the signal's reason
   * @example
   * const { output } = await client.awaitChain(chain, { timeoutMs: 10_000 });
   */
  awaitChain<Name extends E["entries"] | UndeclaredName = UndeclaredName>(
    chain: ChainOfType<Name>,
    wait?: WaitOptions,
  ): Promise<CompletedChainOf<E, Name>>;

  /**
   * Lists chains, by default the newest first.
   *
   * @example
   * const { items, nextCursor } = await client.listChains({ typeName: "order.place", status: "failed", limit: 100 });
   * for (const chain of items) console.log(chain.input.orderId, chain.error?.message);
   * const ofOrder = await client.listChains({ tags: { orderId } });
   */
  listChains<const Name extends E["entries"] | UndeclaredName = UndeclaredName>(
    options?: TypeFilter<Name> &
      FilterOptions<ChainStatus> &
      LabelOptions &
      SearchOptions &
      PayloadOptions &
      InTransaction<E["tx"]>,
  ): Promise<Page<ChainOf<E, Name>>>;

  /**
   * Lists jobs, by default the newest first.
   *
   * @example
   * const { items } = await client.listJobs({ status: "running", order: "oldest" });
   * console.log(items.map(({ typeName, leasedBy }) => `${typeName} at ${leasedBy}`));
   */
  listJobs<const Name extends E["names"] | UndeclaredName = UndeclaredName>(
    options?: TypeFilter<Name> &
      FilterOptions<JobStatus> &
      SearchOptions &
      PayloadOptions &
      NewestOfChains &
      FailureFilter &
      InTransaction<E["tx"]>,
  ): Promise<Page<StoredJobOf<E, Name>>>;

  /**
   * Counts failed jobs in groups: those of one type whose errors are of one kind, because they have the same name, the same words (ids and
   * other values in them may differ) and come from the same place in the code. It reads a small row for each failure in question, and no job.
   *
   * @throws `invalid-input` if the state adapter keeps no kinds of failures
   * @example
   * const { groups, failureCount } = await client.groupFailures({ failedSince: new Date(Date.now() - 3_600_000) });
   * console.log(`${failureCount} failures in the last hour`);
   * for (const { typeName, kind, count } of groups) console.log(count, typeName, kind);
   */
  groupFailures<const Name extends E["names"] | UndeclaredName = UndeclaredName>(
    options?: GroupFailuresOptions<Name> & InTransaction<E["tx"]>,
  ): Promise<FailureGroups>;

  /**
   * Lists scheduled jobs, the soonest due first.
   *
   * @example
   * const { items } = await client.listScheduledJobs({ typeName: "reminder.send" });
   * console.log("next:", items[0]?.scheduledAt);
   */
  listScheduledJobs<const Name extends E["names"] | UndeclaredName = UndeclaredName>(
    options?: TypeFilter<Name> & PageOptions & PayloadOptions & InTransaction<E["tx"]>,
  ): Promise<Page<StoredJobOf<E, Name>>>;

  /**
   * Lists the steps of a chain, by default from first to last. A chain that was started or read may be passed in place of options.
   *
   * @example
   * const { items } = await client.listChainJobs(chain);
   * for (const { step, typeName, status } of items) console.log(step, typeName, status);
   */
  listChainJobs(chain: ReadChain & PageOfJobs & InTransaction<E["tx"]>): Promise<Page<StoredJobOf<E, UndeclaredName>>>;
  listChainJobs<const Name extends E["names"] | UndeclaredName = UndeclaredName>(
    options: ByChainId & TypeFilter<Name> & FilterOptions<JobStatus> & PayloadOptions & InTransaction<E["tx"]>,
  ): Promise<Page<StoredJobOf<E, Name>>>;

  /**
   * Lists the jobs that wait, or waited, for a chain. A chain that was started or read may be passed in place of options.
   *
   * @example
   * const { items } = await client.listBlockedJobs({ id: chain.id, status: "blocked" });
   * console.log(`${items.length} jobs wait for this chain`);
   */
  listBlockedJobs(
    chain: ReadChain & PageOfJobs & InTransaction<E["tx"]>,
  ): Promise<Page<StoredJobOf<E, UndeclaredName>>>;
  listBlockedJobs<const Name extends E["names"] | UndeclaredName = UndeclaredName>(
    options: ByChainId & TypeFilter<Name> & FilterOptions<JobStatus> & PayloadOptions & InTransaction<E["tx"]>,
  ): Promise<Page<StoredJobOf<E, Name>>>;

  /**
   * Lists the chains that a job waits, or waited, for, in the order in which the job named them.
   *
   * @example
   * const { items } = await client.listJobBlockers({ id });
   * console.log(items.filter(({ status }) => status === "active").map(({ typeName }) => typeName));
   */
  listJobBlockers(
    options: ByJobId & BlockerFilter & PageOptions & PayloadOptions & InTransaction<E["tx"]>,
  ): Promise<Page<ChainOf<E, UndeclaredName> & { readonly position: number }>>;

  /**
   * Explains why a job is not running: the chains that block it, when it is due, its lease, live workers, and the jobs before it.
   *
   * @example
   * const explanation = await client.explainJob({ id });
   * console.log(explanation?.summary);
   */
  explainJob(options: ByJobId & InTransaction<E["tx"]>): Promise<JobExplanation | undefined>;

  /**
   * Explains why a chain does not go on: `explainJob` for its newest step.
   *
   * @example
   * const explanation = await client.explainChain({ id: chain.id });
   * console.log(explanation?.typeName, explanation?.summary);
   */
  explainChain(options: ByChainId & InTransaction<E["tx"]>): Promise<JobExplanation | undefined>;

  /**
   * Lists the open jobs that this code cannot read: their version is above what it knows, what makes the next version of an input throws
   * an error, or the input does not fit its schema then; also jobs with a blocker whose input or output this code cannot read. A page
   * reads up to `maxScanned` open jobs in the order of their ids, 1,000 at a time, and lifts each of them; `nextCursor` continues where it
   * stopped. For each job with blockers it reads the blockers as well, one more query for each thousand of them. Call it after a
   * deployment, not in a loop.
   *
   * @example
   * const { items, scanned } = await client.listUnreadable();
   * for (const { typeName, version, summary } of items) console.warn(typeName, version, summary);
   * console.log(`${items.length} of ${scanned} open jobs cannot be read`);
   */
  listUnreadable<const Name extends E["names"] | UndeclaredName = UndeclaredName>(
    options?: UnreadableOptions<Name> & InTransaction<E["tx"]>,
  ): Promise<UnreadableJobs>;

  /**
   * Lists the workers with a recent heartbeat, with the job types that they handle and the number of jobs that they hold.
   *
   * @example
   * for (const { name, holds, lastSeenAt } of await client.listWorkers()) console.log(name, holds, lastSeenAt);
   */
  listWorkers(options?: InTransaction<E["tx"]>): Promise<readonly WorkerInfo[]>;

  /**
   * Lists the workers whose heartbeats have stopped within the last day without their end being reported, because their process died or
   * lost its store, the newest loss first, with the jobs that they held. A worker that stops is none of them.
   *
   * @example
   * for (const { name, lostAt, held = [] } of await client.listLostWorkers())
   *   console.log(name, lostAt, held.map(({ jobId, attempt }) => `attempt ${attempt} of ${jobId}`));
   */
  listLostWorkers(options?: InTransaction<E["tx"]>): Promise<readonly LostWorkerInfo[]>;

  /**
   * Counts jobs by type and status, without scanning ended jobs. A type without jobs is not listed. With `status` it counts only those, the
   * others as 0: ended jobs alone cost next to nothing, for all open jobs every one is read.
   *
   * @example
   * const { "mail.send": mails } = await client.countJobs();
   * console.log(mails?.ready ?? 0, mails?.failed ?? 0);
   */
  countJobs(
    options?: Pick<FilterOptions<JobStatus>, "status"> & InTransaction<E["tx"]>,
  ): Promise<{ readonly [Name in keyof E["types"]]?: JobCounts }>;

  /**
   * Counts the jobs that are ready, scheduled or running by type, version and pool, and the live workers that claim them. Like
   * `countJobs` it scans no ended job. Blocked jobs are not counted.
   *
   * @example
   * for (const { typeName, version, pool, ready, workers } of await client.countQueuedJobs())
   *   if (ready > 0 && workers === 0) console.warn(`no worker takes version ${version} of ${typeName} in pool ${pool ?? "none"}`);
   */
  countQueuedJobs(options?: InTransaction<E["tx"]>): Promise<readonly QueuedJobs[]>;

  /**
   * Reports what workers did in the last hour or day: how many attempts ended, how long they ran, how long jobs waited. The store keeps
   * it. A worker hands its counts in every ten seconds, so what a killed one counted since is missing.
   *
   * @example
   * const { points } = await client.jobHistory({ over: "day" });
   * console.log(points.map(({ at, failed }) => `${at.toISOString()}: ${failed} failed`).join("\n"));
   */
  jobHistory(options?: JobHistoryOptions & InTransaction<E["tx"]>): Promise<JobHistory>;
};

/** Names a chain; `typeName` narrows the result, and another type is refused with `job-type-mismatch`. */
export interface ChainOfType<out Name> extends ByChainId {
  readonly typeName?: Name | undefined;
}

/** Names a job; `typeName` narrows the result, and another type is refused with `job-type-mismatch`. */
export interface JobOfType<out Name> extends ByJobId {
  readonly typeName?: Name | undefined;
}

/** The page of the jobs of a chain as it was read. */
type PageOfJobs = Pick<FilterOptions<JobStatus>, "cursor" | "limit" | "order">;

/** A chain as it was started or read, of any type. */
export interface ReadChain extends ByChainId {
  readonly typeName: string;
  readonly status: ChainStatus;
  readonly input: unknown;
  readonly createdAt: Date;
}

/**
 * Limits a wait.
 *
 * @example
 * const whileConnected = (request: Request): WaitOptions => ({ timeoutMs: 25_000, signal: request.signal });
 * const serve = async (request: Request) => {
 *   const { output } = await client.awaitChain({ id, typeName: "order.place" }, whileConnected(request));
 *   return Response.json(output);
 * };
 */
export interface WaitOptions {
  /** Default: a minute, except with a virtual clock; `Infinity`: without a limit. */
  readonly timeoutMs?: number | undefined;
  /** Ends the wait, not the chain: pass the signal of a request, so that no one waits for a client that has left. */
  readonly signal?: AbortSignal | undefined;
}
