import { ChainwrightError } from "../model/error.ts";
import type { JobStatus } from "../model/status.ts";
import { checkId, checkKeys, given, type OptionKeys } from "../checks/check-options.ts";
import { createEngine, type Engine } from "../engine/engine.ts";
import { createChainWaits, endedOrThrow, waitLimitOf, type ChainWaits } from "../operations/await-chain.ts";
import { listNotes } from "../operations/list-notes.ts";
import { createWatchJob } from "../operations/watch-job.ts";
import { awaitIdle, type AwaitIdleOptions } from "../operations/await-idle.ts";
import { itemsOf, type Items } from "./items.ts";
import { scheduleCalls } from "./schedule-calls.ts";
import { signalCalls } from "./signal-calls.ts";
import { cancelChains, type CancelItem } from "../operations/cancel-chains.ts";
import { countAllJobs } from "../operations/count-all-jobs.ts";
import { countJobs } from "../operations/count-jobs.ts";
import { countQueuedJobs } from "../operations/count-queued-jobs.ts";
import { jobHistory } from "../operations/job-history.ts";
import { deleteChains } from "../operations/delete-chains.ts";
import { doctor } from "../operations/doctor.ts";
import { explainChain, explainJob } from "../operations/explain-job.ts";
import { completeChain, continueChain } from "../operations/finish-step.ts";
import {
  changeLimit,
  pauseLimit,
  resetLimit,
  resumeLimit,
  type ChangeLimitOptions,
  type NamedLimit,
  type PauseLimitOptions,
} from "../operations/change-limits.ts";
import { listDeclaredLimits, listLimits, type ListLimitsOptions } from "../operations/list-limits.ts";
import { getChain, type GetChainOptions } from "../operations/get-chain.ts";
import { getJob, ofType, type GetOptions } from "../operations/get-by-id.ts";
import { listJobBlockers, listManyBlockers, type BlockersOptions } from "../operations/list-job-blockers.ts";
import { listChains } from "../operations/list-chains.ts";
import { listBlockedJobs, listChainJobs, listJobs, listScheduledJobs } from "../operations/list-jobs.ts";
import type { ChainListOptions, DueOptions, JobListOptions, ListOptions } from "../operations/list-queries.ts";
import { groupFailures } from "../operations/group-failures.ts";
import { listLostWorkers } from "../operations/list-lost-workers.ts";
import { listUnreadable } from "../operations/list-unreadable.ts";
import { listWorkers } from "../operations/list-workers.ts";
import {
  listPausedTypes,
  pauseJobTypes,
  resumeJobTypes,
  type PauseJobTypesOptions,
  type TypeNames,
} from "../operations/pause-job-types.ts";
import { checkChainKeys } from "../operations/read-values.ts";
import type { StartItem } from "../operations/prepare-start.ts";
import { retryChains, type RetryItem } from "../operations/retry-chains.ts";
import { startChains } from "../operations/start-chains.ts";
import { runTransaction } from "../operations/transaction.ts";
import { triggerJobs } from "../operations/trigger-jobs.ts";
import { chainView, startedChainView, type View } from "../operations/views.ts";
import type { DoctorOptions } from "../types/doctor.ts";
import type { ByChainId, ByJobId, InTransaction } from "../types/list-options.ts";
import type { UnreadableOptions } from "../types/unreadable.ts";
import { checkClientOptions, type ErasedClientOptions } from "./client-options.ts";

type InTx = InTransaction<unknown>;
type OfChain = ByChainId & ListOptions<JobStatus>;
type Wait = { readonly timeoutMs?: number | undefined; readonly signal?: AbortSignal | undefined };

const deleteManyKeys = { items: true, tx: true, cascade: true } satisfies OptionKeys;
const awaitKeys = { id: true, typeName: true } satisfies OptionKeys;
const waitKeys = { timeoutMs: true, signal: true } satisfies Record<keyof Wait, true>;

/** The client's calls, types erased; `create-client.ts` gives them their types. */
export function createErasedClient(options: ErasedClientOptions) {
  const engine = createEngine(checkClientOptions(options));
  const waits = createChainWaits(engine);

  /** The engine, while the client is open. */
  const open = (): Engine => {
    engine.lifetime.assertOpen();
    return engine;
  };
  const closing = new AbortController();
  const watchJob = createWatchJob(engine, closing.signal);
  const close = (): Promise<void> => {
    waits.close();
    closing.abort(
      new ChainwrightError("closed", "the client was closed while job types were awaited, or a job was watched."),
    );
    return engine.lifetime.close();
  };

  return {
    engine,
    client: {
      ...startCalls(open),
      ...readCalls(open),
      ...changeCalls(open),
      ...pauseCalls(open),
      ...limitCalls(open),
      ...scheduleCalls(open),
      ...signalCalls(open),
      listNotes: async (asked: Parameters<typeof listNotes>[1]) => await listNotes(open(), asked),
      watchJob: (asked: Parameters<typeof watchJob>[0]) => {
        open();
        return watchJob(asked);
      },
      awaitChain: async (chain: { readonly id: string; readonly typeName?: string }, wait: Wait = {}) => {
        return await awaitChain(open(), waits, chain, wait);
      },
      awaitIdle: async (asked: AwaitIdleOptions) => await awaitIdle(open(), asked, closing.signal),
      doctor: async (asked?: DoctorOptions) => await doctor(open(), asked),
      close,
      [Symbol.asyncDispose]: close,
    },
  };
}

function startCalls(open: () => Engine) {
  return {
    startChain: async (options: StartItem & InTx): Promise<View> => {
      const { tx, ...item } = given(options, "startChain");
      const [chain] = await startViews(open(), [item], tx);
      if (chain === undefined) throw new TypeError("the state adapter must return a chain for each start; got none.");
      return chain;
    },
    startChains: async (options: Items<StartItem>): Promise<readonly View[]> =>
      await startViews(open(), itemsOf(options, "startChains"), options.tx),
    transaction: async <T>(run: (tx: unknown) => Promise<T>): Promise<T> => await runTransaction(open(), run),
    /** Publishes the events of a transaction that the application has committed. */
    committed: (tx: unknown): void => {
      const { events } = open();
      events.record(events.take(tx), undefined);
    },
    /** Drops the events of a transaction that the application has rolled back. */
    rolledBack: (tx: unknown): void => void open().events.take(tx),
  };
}

async function startViews(engine: Engine, items: readonly StartItem[], tx: unknown): Promise<readonly View[]> {
  const chains = await startChains(engine, items, tx);
  const { read } = engine.types.versions;
  return chains.map((chain, index) => startedChainView(chain, items[index]?.typeName ?? "", read));
}

function readCalls(open: () => Engine) {
  return {
    getChain: async (options: GetChainOptions) => await getChain(open(), options),
    getJob: async (options: GetOptions) => await getJob(open(), options),
    listChains: async (options?: ChainListOptions) => await listChains(open(), options),
    listJobs: async (options?: JobListOptions) => await listJobs(open(), options),
    listChainJobs: async (options: OfChain) => await listChainJobs(open(), given(options, "listChainJobs")),
    listScheduledJobs: async (options?: DueOptions) => await listScheduledJobs(open(), options),
    listBlockedJobs: async (options: OfChain) => await listBlockedJobs(open(), given(options, "listBlockedJobs")),
    listJobBlockers: async (options: BlockersOptions) => await listJobBlockers(open(), options),
    listManyBlockers: async (options: Parameters<typeof listManyBlockers>[1]) =>
      await listManyBlockers(open(), options),
    explainJob: async (options: ByJobId & InTx) => await explainJob(open(), options),
    explainChain: async (options: ByChainId & InTx) => await explainChain(open(), options),
    listUnreadable: async (options?: UnreadableOptions & InTx) => await listUnreadable(open(), options),
    listWorkers: async (options?: InTx) => await listWorkers(open(), options),
    listLostWorkers: async (options?: InTx) => await listLostWorkers(open(), options),
    countJobs: async (options?: Parameters<typeof countJobs>[1]) => await countJobs(open(), options),
    groupFailures: async (options?: Parameters<typeof groupFailures>[1]) => await groupFailures(open(), options),
    countAllJobs: async () => await countAllJobs(open()),
    jobHistory: async (options?: Parameters<typeof jobHistory>[1]) => await jobHistory(open(), options),
    countQueuedJobs: async (options?: InTx) => await countQueuedJobs(open(), options),
  };
}

function changeCalls(open: () => Engine) {
  return {
    completeChain: async (options: Parameters<typeof completeChain>[1]) => await completeChain(open(), options),
    continueChain: async (options: Parameters<typeof continueChain>[1]) => await continueChain(open(), options),
    triggerJob: async (options: ByJobId & InTx) => {
      const { tx, ...item } = given(options, "triggerJob");
      await triggerJobs(open(), [item], tx);
    },
    triggerJobs: async (options: Items<ByJobId>) =>
      await triggerJobs(open(), itemsOf(options, "triggerJobs"), options.tx),
    cancelChain: async (options: CancelItem & InTx) => {
      const { tx, ...item } = given(options, "cancelChain");
      const [chain] = await cancelChains(open(), [item], tx);
      if (chain === undefined)
        throw new TypeError("the state adapter must return a chain for each cancellation; got none.");
      return chain;
    },
    cancelChains: async (options: Items<CancelItem>) =>
      await cancelChains(open(), itemsOf(options, "cancelChains"), options.tx),
    retryChain: async (options: RetryItem & InTx) => {
      const { tx, ...item } = given(options, "retryChain");
      await retryChains(open(), [item], tx);
    },
    retryChains: async (options: Items<RetryItem>) =>
      await retryChains(open(), itemsOf(options, "retryChains"), options.tx),
    deleteChain: async (options: { readonly id: string; readonly cascade?: boolean } & InTx) => {
      const { tx, cascade, ...item } = given(options, "deleteChain");
      return await deleteChains(open(), [item], { cascade, tx });
    },
    deleteChains: async (options: Items<{ readonly id: string }> & { readonly cascade?: boolean }) =>
      await deleteChains(open(), itemsOf(options, "deleteChains", deleteManyKeys), options),
  };
}

function pauseCalls(open: () => Engine) {
  return {
    pauseJobTypes: async (options: PauseJobTypesOptions) => await pauseJobTypes(open(), options),
    resumeJobTypes: async (options: TypeNames) => await resumeJobTypes(open(), options),
    listPausedTypes: async (options?: InTx) => await listPausedTypes(open(), options),
  };
}

function limitCalls(open: () => Engine) {
  return {
    changeLimit: async (options: ChangeLimitOptions) => await changeLimit(open(), options),
    resetLimit: async (options: NamedLimit) => await resetLimit(open(), options),
    pauseLimit: async (options: PauseLimitOptions) => await pauseLimit(open(), options),
    resumeLimit: async (options: NamedLimit) => await resumeLimit(open(), options),
    listLimits: async (options?: ListLimitsOptions) => await listLimits(open(), options),
    listDeclaredLimits: async (options?: InTx) => await listDeclaredLimits(open(), options),
  };
}

async function awaitChain(
  engine: Engine,
  waits: ChainWaits,
  options: { readonly id: string; readonly typeName?: string },
  wait: Wait,
): Promise<View> {
  checkChainKeys(options, awaitKeys, "awaitChain");
  checkKeys(wait, waitKeys, "the options of awaitChain");
  const timeoutMs = waitLimitOf(engine, wait.timeoutMs);
  const chain = await waits.untilEnded(checkId(options.id, "id"), { timeoutMs, signal: wait.signal });
  return chainView(endedOrThrow(ofType(chain, options.typeName)), engine.types.versions.read);
}
