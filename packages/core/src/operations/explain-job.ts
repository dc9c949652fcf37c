import type { BlockerCounts, BlockerRecord, ChainRecord, JobRecord, WorkerRecord } from "../model/record.ts";
import type { ChainStatus } from "../model/status.ts";
import type { TickRecord } from "../model/recurring.ts";
import { checkId } from "../checks/check-options.ts";
import { readAttemptErrors } from "../checks/attempt-errors.ts";
import type { StoreAccess } from "../engine/engine.ts";
import type { PausedType } from "../ports/pause.ts";
import { everyJob } from "./list-queries.ts";
import { findLastStep } from "./last-step.ts";
import { closedLimits, limitSentence } from "./explain-limits.ts";
import { pauseView } from "./pause-job-types.ts";
import { checkChainKeys, checkJobKeys } from "./read-values.ts";
import { failureSentence } from "./recorded-error.ts";
import type { LimitInfo } from "../types/limit-reports.ts";
import type { JobExplanation } from "../types/job-reports.ts";
import type { ByChainId, ByJobId, InTransaction } from "../types/list-options.ts";
import { lostSentence } from "./explain-lost.ts";
import { labelsView } from "./views.ts";
import { runningSentence } from "./explain-running.ts";
import { followSentences, stopSentence } from "./explain-stop.ts";
import { waitSentence } from "./explain-wait.ts";
import { newestVersionOf } from "./worker-claims.ts";
import { dateOf } from "./date-of.ts";

const explainKeys = { id: true, tx: true } satisfies Record<keyof (ByJobId & InTransaction<unknown>), true>;
const mostAhead = 1_000;
const mostBlockers = 100;

export async function explainJob(
  store: StoreAccess,
  options: ByJobId & InTransaction<unknown>,
): Promise<JobExplanation | undefined> {
  checkJobKeys(options, explainKeys, "explainJob");
  const [job] = await store.state.getJobs([checkId(options.id, "id")], store.callOptions(options.tx));
  return job === undefined ? undefined : await explain(store, job, options.tx);
}

/** Explains the newest step of a chain. */
export async function explainChain(
  store: StoreAccess,
  options: ByChainId & InTransaction<unknown>,
): Promise<JobExplanation | undefined> {
  checkChainKeys(options, explainKeys, "explainChain");
  const job = await findLastStep(store, checkId(options.id, "id"), options.tx);
  return job === undefined ? undefined : await explain(store, job, options.tx);
}

async function explain(store: StoreAccess, job: JobRecord, tx: unknown): Promise<JobExplanation> {
  const { state } = store;
  const call = store.callOptions(tx);
  const everyone = await state.listWorkers(call);
  const { workers, newest, isPoolServed } = serving(everyone, job);
  const unserved = newest < job.version && job.status === "ready" ? await countUnserved(store, job, tx) : undefined;
  const counts = job.status === "blocked" ? await state.countBlockers({ of: "job", id: job.id }, call) : undefined;
  const blockers = job.status === "blocked" ? await openBlockers(store, { jobId: job.id, counts, tx }) : [];
  const [owner] = await state.getChains([job.chainId], call);
  const ahead = job.status === "ready" ? await state.countAhead(job.id, mostAhead, call) : undefined;
  const limitedBy = await closedLimits(store, job, tx);
  const pause = hasEnded(job) ? undefined : await pauseOf(store, job.typeName, tx);
  const next = job.nextJobId === undefined ? undefined : await findLastStep(store, job.chainId, tx);
  const { waits, origin } = await stopSentences(store, job, owner, tx);
  const now =
    waits ??
    summarize(job, {
      workers: workers.length,
      isPoolServed,
      newest,
      unserved,
      blockers,
      counts,
      ahead,
      next,
      pause,
      limitedBy,
    });
  const reason = [now, await lostSentence(store, job, { alive: everyone, tx })]
    .filter((each) => each !== undefined)
    .join(" ");
  const lastError = readAttemptErrors(job.errors).at(-1);
  const [tick] = await state.listTicks({ chainIds: [job.chainId] }, call);
  const told = [reason, origin, tick && tickSentence(tick)].filter((each) => each !== undefined).join(" ");
  return {
    id: job.id,
    chainId: job.chainId,
    typeName: job.typeName,
    step: job.step,
    status: job.status,
    pool: job.pool,
    ...labelsView(owner),
    summary: lastError === undefined ? told : `${told} ${failureSentence(lastError)}`,
    reason,
    lastError,
    blockedBy: blockers.map(({ chain }) => ({ id: chain.id, typeName: chain.typeName, status: chain.status })),
    blockers: counts,
    dueAt: dateOf(job.scheduledAt),
    waitsUntil: dateOf(job.waits?.until),
    leasedBy: job.leasedBy,
    leasedUntil: dateOf(job.leasedUntil),
    ahead,
    limitedBy,
    paused: pause && pauseView(pause),
    tick: tick && { scheduleId: tick.scheduleId, at: new Date(tick.at) },
    workers,
  };
}

/** What a job waits for by its own wait, by the stop of its chain, or by that of the chain that its chain follows; or what it does. */
async function stopSentences(store: StoreAccess, job: JobRecord, owner: ChainRecord | undefined, tx: unknown) {
  const follow = await followSentences(store, job, owner, tx);
  const waits = (await waitSentence(store, job, tx)) ?? (await stopSentence(store, job, owner, tx)) ?? follow?.reason;
  return { waits: waits ?? (await runningSentence(store, job, tx)), origin: follow?.origin };
}

function tickSentence({ scheduleId, at }: TickRecord): string {
  return `Schedule "${scheduleId}" started its chain for ${new Date(at).toISOString()}.`;
}

function hasEnded({ endedAt }: JobRecord): boolean {
  return endedAt !== undefined;
}

async function pauseOf(store: StoreAccess, typeName: string, tx: unknown): Promise<PausedType | undefined> {
  const paused = await store.state.listPauses(store.callOptions(tx));
  return paused.find((pause) => pause.typeName === typeName);
}

/** The live workers that take a job, by name. */
function serving(everyone: readonly WorkerRecord[], { typeName, pool, version }: JobRecord) {
  const ofType = everyone.filter((worker) => worker.typeNames.includes(typeName));
  const ofPool = ofType.filter(({ pools }) => pools.includes(pool ?? null));
  return {
    workers: ofPool.filter((worker) => newestVersionOf(worker, typeName) >= version).map(({ name }) => name),
    newest: newestVersion(ofPool, typeName),
    isPoolServed: ofPool.length > 0 || (pool === undefined && ofType.length === 0),
  };
}

function newestVersion(workers: readonly WorkerRecord[], typeName: string): number {
  return workers.length === 0 ? Infinity : Math.max(...workers.map((worker) => newestVersionOf(worker, typeName)));
}

/** The ready jobs of the same type, version and pool, of the first so many of its type. */
async function countUnserved(store: StoreAccess, { typeName, version, pool }: JobRecord, tx: unknown): Promise<string> {
  const query = { ...everyJob, typeNames: [typeName], statuses: ["ready"], limit: mostAhead } as const;
  const jobs = await store.state.listJobs(query, store.callOptions(tx));
  const count = jobs.filter((other) => other.version === version && other.pool === pool).length;
  const isAll = jobs.length < mostAhead;
  return count === 1 && isAll ? "1 job like this waits" : `${count}${isAll ? "" : " or more"} jobs like this wait`;
}

interface Blocked {
  readonly jobId: string;
  readonly counts: BlockerCounts | undefined;
  readonly tx: unknown;
}

/** The blockers that have not completed: first those that have failed or were cancelled, because only a person continues them. */
async function openBlockers(store: StoreAccess, { jobId, counts, tx }: Blocked): Promise<readonly BlockerRecord[]> {
  const first = async (statuses: readonly ChainStatus[], limit: number) => {
    const query = { jobId, afterPosition: undefined, limit, statuses, mostPayloadBytes: 0 };
    return limit === 0 ? [] : await store.state.listBlockers(query, store.callOptions(tx));
  };
  const stopped = counts?.failed === 0 ? [] : await first(["failed", "cancelled"], mostBlockers);
  return [...stopped, ...(await first(["active"], mostBlockers - stopped.length))];
}

interface Known {
  readonly workers: number;
  /** Whether a live worker of its type serves its pool. */
  readonly isPoolServed: boolean;
  /** The newest version of its type that a live worker reads; Infinity without workers of the type. */
  readonly newest: number;
  /** If no live worker reads its version: how many jobs wait as this one does, as the beginning of a sentence. */
  readonly unserved: string | undefined;
  readonly blockers: readonly BlockerRecord[];
  readonly counts: BlockerCounts | undefined;
  readonly ahead: number | undefined;
  /** The newest step of its chain, if the job continued the chain. */
  readonly next: JobRecord | undefined;
  readonly pause: PausedType | undefined;
  readonly limitedBy: readonly LimitInfo[];
}

function summarize(job: JobRecord, known: Known): string {
  switch (job.status) {
    case "blocked":
      return summarizeBlocked(job, known);
    case "scheduled":
      return summarizeScheduled(job);
    case "ready":
      if (known.pause !== undefined) return `It is ready, but ${pauseSentence(job, known.pause)}`;
      if (known.unserved !== undefined) return summarizeUnserved(job, known);
      if (!known.isPoolServed) return `It is ready, but no live worker takes ${poolOf(job)}.`;
      if (known.workers === 0) return `It is ready, but no live worker handles "${job.typeName}".`;
      return summarizeWaiting(job, known);
    case "completed":
      return known.next === undefined ? "It has completed." : summarizeContinued(known.next);
    default:
      return `It has ${job.status === "failed" ? "failed" : "been cancelled"}.`;
  }
}

function summarizeScheduled({ scheduledAt = 0, gathers }: JobRecord): string {
  const due = new Date(scheduledAt).toISOString();
  if (gathers?.by === "debounce")
    return `It waits until ${due} for further starts with its key, at the latest until ${new Date(gathers.until).toISOString()}.`;
  if (gathers?.by === "throttle")
    return `It is due at ${due}, when the window of its key ends; until then a further start with the key replaces its input.`;
  return `It is due at ${due}.`;
}

function summarizeWaiting({ limits }: JobRecord, { ahead, limitedBy: [closed] }: Known): string {
  const count = ahead === mostAhead ? `${mostAhead} or more` : `${ahead}`;
  if (closed !== undefined) return limitSentence(closed, count);
  return `It is ready and waits behind ${count} other jobs of its ${limits === undefined ? "type" : "lane"}.`;
}

function pauseSentence({ typeName }: JobRecord, { reason, until, by }: PausedType): string {
  const whoPaused = by === undefined ? "" : ` by ${by}`;
  const end = until === undefined ? "it is resumed" : new Date(until).toISOString();
  return `"${typeName}" is paused${whoPaused} until ${end}${reason === undefined ? "" : `: ${reason}`}.`;
}

function poolOf({ pool }: JobRecord): string {
  return pool === undefined ? "jobs without a pool" : `pool ${pool}`;
}

function summarizeUnserved({ typeName, version }: JobRecord, { newest, unserved }: Known): string {
  return `${unserved} for version ${version} of ${typeName}; live workers know up to ${newest}.`;
}

/** The question is about the chain if the id of its first job, which is that of the chain, was taken for the chain's. */
function summarizeContinued({ typeName, step, status, endedAt }: JobRecord): string {
  if (endedAt !== undefined)
    return `It has completed; its chain ended at step ${step}, "${typeName}", which is ${status}.`;
  return `It has completed; its chain is at step ${step}, "${typeName}", which is ${status}: ask explainChain about it.`;
}

/** If many jobs wait for one chain, they are released in steps after its end. */
function summarizeBlocked(job: JobRecord, { blockers, counts }: Known): string {
  const isBroken = blockers.some(({ chain: { status } }) => status === "failed" || status === "cancelled");
  if (blockers.length === 0) return "Its blockers have completed, and its release is under way.";
  if (isBroken && job.onBlockerFailure === "fail")
    return "A blocker has failed or was cancelled, and this job is about to fail.";
  const { total, completed, failed } = counts ?? { total: job.blockersLeft, completed: 0, failed: 0 };
  const left = `${total - completed}${completed === 0 ? "" : ` of ${total}`}`;
  const stuck =
    failed === 0
      ? ""
      : ` ${failed} of them failed or ${failed === 1 ? "was" : "were"} cancelled; retry ${failed === 1 ? "it" : "them"}.`;
  return `It waits for ${left} blocker${total === 1 ? "" : "s"} to complete.${stuck}`;
}
