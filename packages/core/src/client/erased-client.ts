import type { JobTypeSlice } from "../model/job-type.ts";
import type { ChainStatus, JobStatus } from "../model/status.ts";
import type { Clock } from "../ports/clock.ts";
import type { NotifyAdapter } from "../ports/notify.ts";
import type { Observer } from "../ports/observer.ts";
import type { StateAdapter } from "../ports/state.ts";
import { checkDuration, checkId, checkInteger, checkKeys, given, invalid, isList } from "../checks/check-options.ts";
import { createEngine, type Engine } from "../engine/engine.ts";
import type { StartItem } from "../operations/prepare-start.ts";
import { startChains } from "../operations/start-chains.ts";
import { createSystemClock } from "../timing/system-clock.ts";
import { runTransaction } from "../operations/transaction.ts";
import type { DoctorOptions } from "../types/doctor.ts";
import { createChainWaits, endedOrThrow, type ChainWaits } from "../operations/await-chain.ts";
import { cancelChains, deleteChains, retryChains, triggerJobs } from "../operations/changes.ts";
import { doctor } from "../operations/doctor.ts";
import { explainJob } from "../operations/explain-job.ts";
import { completeChain, continueChain } from "../operations/finish-step.ts";
import type { DueOptions, FilterOptions, PageOptions } from "../operations/pages.ts";
import {
  countJobs,
  getChain,
  getJob,
  getJobBlockers,
  listBlockedJobs,
  listChainJobs,
  listChains,
  listJobs,
  listScheduledJobs,
  listWorkers,
  ofType,
} from "../operations/reads.ts";
import { chainView, startedChainView, type View } from "../operations/views.ts";

/** What `createClient` takes, types erased. */
export interface ErasedClientOptions {
  readonly stateAdapter: StateAdapter;
  readonly notifyAdapter?: NotifyAdapter | undefined;
  readonly jobTypes: JobTypeSlice | readonly JobTypeSlice[];
  readonly observers?: readonly Observer[] | undefined;
  readonly clock?: Clock | undefined;
  readonly maxPayloadBytes?: number | undefined;
}

type InTx = { readonly tx?: unknown };
type Items<Item> = InTx & { readonly items: readonly Item[] };
type Cancel = { readonly id: string; readonly reason?: string | undefined };
type Retry = { readonly id: string; readonly typeName?: string | undefined; readonly input?: unknown };
type Wait = { readonly timeoutMs?: number | undefined; readonly signal?: AbortSignal | undefined };

const clientKeys: ReadonlySet<string> = new Set([
  "stateAdapter",
  "notifyAdapter",
  "jobTypes",
  "observers",
  "clock",
  "maxPayloadBytes",
]);
const itemsKeys: ReadonlySet<string> = new Set(["items", "tx"]);
const deleteManyKeys: ReadonlySet<string> = new Set(["items", "cascade", "tx"]);
const awaitKeys: ReadonlySet<string> = new Set(["id", "typeName"]);
const waitKeys: ReadonlySet<string> = new Set(["timeoutMs", "signal"]);
const oneMebibyte = 1_048_576;

/** The client's calls as they run; `create-client.ts` gives them their types. */
export function createErasedClient(options: ErasedClientOptions) {
  const engine = createEngine(checkClientOptions(options));
  const waits = createChainWaits(engine);

  /** The engine, while the client is open. */
  const open = (): Engine => {
    engine.staff.assertOpen();
    return engine;
  };
  const close = (): Promise<void> => {
    waits.close();
    return engine.staff.close();
  };

  return {
    engine,
    client: {
      ...startCalls(open),
      ...readCalls(open),
      ...changeCalls(open),
      awaitChain: async (chain: { readonly id: string; readonly typeName?: string }, wait: Wait = {}) => {
        open();
        return await awaitChain(waits, chain, wait);
      },
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
      if (chain === undefined) throw new TypeError("the state adapter answered no chain for a start");
      return chain;
    },
    startChains: async (options: Items<StartItem>): Promise<readonly View[]> =>
      await startViews(open(), itemsOf(options, "startChains"), options.tx),
    transaction: async <T>(run: (tx: unknown) => Promise<T>): Promise<T> => await runTransaction(open(), run),
    /** Wakes workers after a transaction that somebody else committed. */
    committed: (tx: unknown): void => {
      const { events } = open();
      events.record(events.take(tx), undefined);
    },
    /** Forgets the events of a transaction that somebody else rolled back. */
    rolledBack: (tx: unknown): void => void open().events.take(tx),
  };
}

async function startViews(engine: Engine, items: readonly StartItem[], tx: unknown): Promise<readonly View[]> {
  const chains = await startChains(engine, items, tx);
  return chains.map((chain, index) => startedChainView(chain, items[index]?.typeName ?? ""));
}

function readCalls(open: () => Engine) {
  return {
    getChain: async (options: Parameters<typeof getChain>[1]) => await getChain(open(), options),
    getJob: async (options: Parameters<typeof getJob>[1]) => await getJob(open(), options),
    listChains: async (options?: FilterOptions<ChainStatus>) => await listChains(open(), options),
    listJobs: async (options?: FilterOptions<JobStatus>) => await listJobs(open(), options),
    listChainJobs: async (options: { readonly id: string } & FilterOptions<JobStatus>) =>
      await listChainJobs(open(), given(options, "listChainJobs")),
    listScheduledJobs: async (options?: DueOptions) => await listScheduledJobs(open(), options),
    listBlockedJobs: async (options: { readonly id: string } & FilterOptions<JobStatus>) =>
      await listBlockedJobs(open(), given(options, "listBlockedJobs")),
    getJobBlockers: async (options: { readonly id: string } & InTx & PageOptions) =>
      await getJobBlockers(open(), options),
    explainJob: async (options: { readonly id: string } & InTx) => await explainJob(open(), options),
    listWorkers: async (options?: InTx) => await listWorkers(open(), options),
    countJobs: async (options?: InTx) => await countJobs(open(), options),
  };
}

function changeCalls(open: () => Engine) {
  return {
    completeChain: async (options: Parameters<typeof completeChain>[1]) => await completeChain(open(), options),
    continueChain: async (options: Parameters<typeof continueChain>[1]) => await continueChain(open(), options),
    triggerJob: async (options: { readonly id: string } & InTx) => {
      const { tx, ...item } = given(options, "triggerJob");
      await triggerJobs(open(), [item], tx);
    },
    triggerJobs: async (options: Items<{ readonly id: string }>) =>
      await triggerJobs(open(), itemsOf(options, "triggerJobs"), options.tx),
    cancelChain: async (options: Cancel & InTx) => {
      const { tx, ...item } = given(options, "cancelChain");
      await cancelChains(open(), [item], tx);
    },
    cancelChains: async (options: Items<Cancel>) =>
      await cancelChains(open(), itemsOf(options, "cancelChains"), options.tx),
    retryChain: async (options: Retry & InTx) => {
      const { tx, ...item } = given(options, "retryChain");
      await retryChains(open(), [item], tx);
    },
    retryChains: async (options: Items<Retry>) =>
      await retryChains(open(), itemsOf(options, "retryChains"), options.tx),
    deleteChain: async (options: { readonly id: string; readonly cascade?: boolean } & InTx) => {
      const { tx, cascade, ...item } = given(options, "deleteChain");
      return await deleteChains(open(), [item], { cascade, tx });
    },
    deleteChains: async (options: Items<{ readonly id: string }> & { readonly cascade?: boolean }) =>
      await deleteChains(open(), itemsOf(options, "deleteChains", deleteManyKeys), options),
  };
}

async function awaitChain(
  waits: ChainWaits,
  options: { readonly id: string; readonly typeName?: string },
  wait: Wait,
): Promise<View> {
  // A chain as `startChain` answered it may be passed as it is.
  if (!("status" in given(options, "awaitChain"))) checkKeys(options, awaitKeys, "awaitChain");
  checkKeys(wait, waitKeys, "the options of awaitChain");
  const timeoutMs =
    wait.timeoutMs === undefined || wait.timeoutMs === Infinity
      ? undefined
      : checkDuration(wait.timeoutMs, "timeoutMs");
  const chain = await waits.untilEnded(checkId(options.id, "id"), { timeoutMs, signal: wait.signal });
  return chainView(endedOrThrow(ofType(chain, options.typeName)));
}

function itemsOf<Item>(options: Items<Item>, what: string, keys = itemsKeys): readonly Item[] {
  if (typeof options !== "object" || options === null || !isList(options.items))
    throw invalid(`${what} takes { items: [...] }.`);
  checkKeys(options, keys, what);
  return options.items;
}

function isSlices(jobTypes: ErasedClientOptions["jobTypes"]): jobTypes is readonly JobTypeSlice[] {
  return Array.isArray(jobTypes);
}

function checkClientOptions(options: ErasedClientOptions): Parameters<typeof createEngine>[0] {
  checkKeys(options, clientKeys, "createClient");
  const { stateAdapter, notifyAdapter, jobTypes, observers = [], clock = createSystemClock() } = options;
  if (typeof stateAdapter?.exchange !== "function")
    throw invalid("createClient needs a stateAdapter, as createPostgresStateAdapter makes one.");
  const slices = isSlices(jobTypes) ? jobTypes : [jobTypes];
  if (slices.length === 0 || slices.some((slice) => typeof slice !== "object" || slice === null)) {
    throw invalid("createClient needs jobTypes: what defineJobTypes answers, or an array of such slices.");
  }
  return {
    state: stateAdapter,
    notify: notifyAdapter,
    clock,
    slices,
    observers,
    maxPayloadBytes: checkInteger(options.maxPayloadBytes ?? oneMebibyte, "maxPayloadBytes", { min: 1, max: 2 ** 29 }),
  };
}
