import { eachChore } from "../model/chore.ts";
import { isChainwrightError } from "../model/error.ts";
import type { Clock } from "../ports/clock.ts";
import { onlySchema } from "./only-schema.ts";
import type { StateAdapter } from "../ports/state.ts";
import { start } from "../rules/begin.ts";
import { cancel } from "../rules/cancel.ts";
import { remove, retry, trigger } from "../rules/change.ts";
import { note } from "../rules/note.ts";
import { compensate, settle } from "../rules/settle.ts";
import { signal } from "../rules/wait.ts";
import { groupFailures } from "./failures.ts";
import { readHistory } from "./history.ts";
import { listLostWorkers } from "./lost-workers.ts";
import { listNotes } from "./notes.ts";
import { createCalls } from "./calls.ts";
import type { Calls } from "./calls.ts";
import { countBlockers } from "./operations/count-blockers.ts";
import { countAhead } from "./operations/count-ahead.ts";
import { changeLimits } from "./operations/change-limits.ts";
import { changeSchedules } from "./operations/change-schedules.ts";
import { count } from "./operations/count.ts";
import { countQueued } from "./operations/count-queued.ts";
import { dueSchedules } from "./operations/due-schedules.ts";
import { exchange } from "./operations/exchange.ts";
import { getChains } from "./operations/get-chains.ts";
import { getJobs } from "./operations/get-jobs.ts";
import { getKeyHolders } from "./operations/get-key-holders.ts";
import { heartbeat } from "./operations/heartbeat.ts";
import { inspect } from "./operations/inspect.ts";
import { listBlockers } from "./operations/list-blockers.ts";
import { listChains } from "./operations/list-chains.ts";
import { listDue } from "./operations/list-due.ts";
import { listJobs } from "./operations/list-jobs.ts";
import { listLimitDeclarations, listLimits } from "./operations/list-limits.ts";
import { listPauses } from "./operations/list-pauses.ts";
import { listSchedules } from "./operations/list-schedules.ts";
import { listSignals } from "./operations/list-signals.ts";
import { listTicks } from "./operations/list-ticks.ts";
import { listWorkers } from "./operations/list-workers.ts";
import { maintain } from "./operations/maintain.ts";
import { reach } from "./operations/reach.ts";
import { renew } from "./operations/renew.ts";
import { repair } from "./operations/repair.ts";
import { setPauses } from "./operations/set-pauses.ts";
import { storeId } from "./operations/store-id.ts";
import { tick } from "./operations/tick.ts";
import type { InProcessTransaction } from "./transactions.ts";

export type { InProcessTransaction } from "./transactions.ts";

/**
 * A state adapter that keeps everything in this process: the same rules as on a database, real transactions, and nothing
 * left when the process ends.
 *
 * @example
 * const stateAdapter = createInProcessStateAdapter();
 * const client = createClient({ stateAdapter, jobTypes });
 */
export function createInProcessStateAdapter(
  options: {
    /** The source of the time. Default: the system's clock. */
    readonly clock?: Pick<Clock, "now"> | undefined;
  } = {},
): StateAdapter<InProcessTransaction> & AsyncDisposable {
  return adapterOf(createCalls(options.clock));
}

/** The adapter whose calls these are: for tests, which look behind it. */
export function adapterOf(calls: Calls): StateAdapter<InProcessTransaction> & AsyncDisposable {
  const { opened, transaction, reads, writes, rules, close } = calls;
  const ahead = reads(countAhead);
  const workers = reads(listWorkers);
  const lostWorkers = reads(listLostWorkers);
  const pauses = reads(listPauses);
  const declarations = reads(listLimitDeclarations);
  const counts = reads(count);
  const queued = reads(countQueued);
  const id = reads(storeId);
  const maintainOne = writes(maintain);

  return {
    portVersion: 1,
    transaction,
    isConflict: (error) => isChainwrightError(error, "transaction-conflict"),

    start: rules(start),
    exchange: rules(exchange),
    settle: rules(settle),
    renew: rules(renew),
    heartbeat: writes(heartbeat),
    setPauses: writes(setPauses),
    changeLimits: writes(changeLimits),
    ...scheduleCalls(calls),
    ...changeCalls(calls),
    ...signalCalls(calls),

    getChains: reads(getChains),
    getKeyHolders: reads(getKeyHolders),
    getJobs: reads(getJobs),
    listChains: reads(listChains),
    listJobs: reads(listJobs),
    listDue: reads(listDue),
    reach: reads(reach),
    listBlockers: reads(listBlockers),
    countBlockers: reads(countBlockers),
    countAhead: (jobId, limit, call) => ahead({ jobId, limit }, call),
    listPauses: (call) => pauses(undefined, call),
    listLimits: reads(listLimits),
    listLimitDeclarations: (call) => declarations(undefined, call),
    listWorkers: (call) => workers(undefined, call),
    listLostWorkers: (call) => lostWorkers(undefined, call),
    count: (call) => counts(call, call),
    readHistory: reads(readHistory),
    groupFailures: reads(groupFailures),
    countQueued: (call) => queued(undefined, call),
    storeId: (call) => id(undefined, call),

    inspect: reads(inspect),
    repair: writes(repair),
    maintain: (request, call) => eachChore(request, (chore) => maintainOne({ ...request, chore }, call)),
    migrate: async () => (opened(), []),
    schema: async () => (opened(), onlySchema),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function changeCalls({ rules }: Calls) {
  return {
    trigger: rules(trigger),
    cancel: rules(cancel),
    retry: rules(retry),
    remove: rules(remove),
    compensate: rules(compensate),
  } satisfies Partial<StateAdapter<InProcessTransaction>>;
}

function scheduleCalls({ reads, writes, rules }: Calls) {
  return {
    tick: rules(tick),
    changeSchedules: writes(changeSchedules),
    dueSchedules: reads(dueSchedules),
    listSchedules: reads(listSchedules),
    listTicks: reads(listTicks),
  } satisfies Partial<StateAdapter<InProcessTransaction>>;
}

function signalCalls({ reads, rules }: Calls) {
  return {
    signal: rules(signal),
    listSignals: reads(listSignals),
    note: rules(note),
    listNotes: reads(listNotes),
  } satisfies Partial<StateAdapter<InProcessTransaction>>;
}
