import { isChainwrightError } from "chainwright";
import { eachChore, rules, type RepairRequest, type StateAdapter } from "chainwright/adapter";
import { exchange, renew } from "./claim.ts";
import type { Data } from "./data.ts";
import { createMethods, type Methods } from "./methods.ts";
import type { Place } from "./place.ts";
import {
  count,
  countAhead,
  countBlockers,
  countQueued,
  getChains,
  getJobs,
  getKeyHolders,
  listBlockers,
  listChains,
  listDue,
  listJobs,
  listWorkers,
  reach,
} from "./reads.ts";
import { changeLimits, listLimitDeclarations, listLimits } from "./limits.ts";
import { listPauses, setPauses } from "./pauses.ts";
import { listNotes } from "./notes.ts";
import { changeSchedules, dueSchedules, listSchedules, listTicks, writeTicks } from "./schedules.ts";
import { listSignals } from "./signals.ts";
import { createTransactions, type Transaction, type Transactions } from "./transactions.ts";
import { heartbeat, maintain } from "./upkeep.ts";

type Port = StateAdapter<Transaction>;

/** Chains in the versions of one text: in memory, or in a folder that processes share. */
export function createFileStateAdapter(place: Place): Port {
  const transactions = createTransactions(place, Date.now);
  const methods = createMethods(transactions);
  return {
    ...startAndReads(transactions, methods),
    ...claimAndSettle(methods),
    ...transactionsAndLeases(transactions, methods),
    ...changes(methods),
    ...upkeep(methods),
    ...pauses(methods),
    ...limits(methods),
    ...schedules(methods),
    ...signals(methods),
    ...notes(methods),
  };
}

/** A file has no older or newer form. */
const onlySchema = { version: 1, newest: 1, compatibleFrom: 1, contractPending: false };

/** Step 1. `isConflict` is asked about every error, so it is a part of the first step. */
export function startAndReads({ migrate, close }: Transactions, { reads, writes, rule }: Methods) {
  const counts = reads(count);
  const queued = reads(countQueued);
  const id = writes(({ storeId }: Data, _request: undefined) => storeId);
  return {
    portVersion: 1,
    migrate: async () => (migrate(), []),
    schema: async () => onlySchema,
    close: async () => close(),
    isConflict: (error) => isChainwrightError(error, "transaction-conflict"),
    start: rule(rules.start),
    getChains: reads(getChains),
    getJobs: reads(getJobs),
    listChains: reads(listChains),
    listJobs: reads(listJobs),
    reach: reads(reach),
    count: (options) => counts(options, options),
    countQueued: (options) => queued(undefined, options),
    storeId: (options) => id(undefined, options),
  } satisfies Partial<Port>;
}

/** Step 2. */
function claimAndSettle({ reads, writes, rule }: Methods) {
  const ahead = reads(countAhead);
  return {
    exchange: writes(exchange),
    settle: rule(rules.settle),
    compensate: rule(rules.compensate),
    listDue: reads(listDue),
    countAhead: (id, limit, options) => ahead({ id, limit }, options),
  } satisfies Partial<Port>;
}

/** Steps 4 and 6. */
function transactionsAndLeases({ transaction }: Transactions, { writes }: Methods) {
  return {
    transaction: async (run, options) => transaction(run, options),
    renew: writes(renew),
  } satisfies Partial<Port>;
}

/** Changes by id, blockers, deduplication, retry: the rules contain them. */
function changes({ reads, rule }: Methods) {
  return {
    trigger: rule(rules.trigger),
    cancel: rule(rules.cancel),
    remove: rule(rules.remove),
    retry: rule(rules.retry),
    listBlockers: reads(listBlockers),
    countBlockers: reads(countBlockers),
    getKeyHolders: reads(getKeyHolders),
  } satisfies Partial<Port>;
}

/** The doctor finds nothing, because nothing writes this store but its adapter. */
function upkeep({ reads, writes }: Methods) {
  const workers = reads(listWorkers);
  const pass = writes(maintain);
  return {
    heartbeat: writes(heartbeat),
    listWorkers: (options) => workers(undefined, options),
    maintain: (request, options) => eachChore(request, (chore) => pass({ ...request, chore }, options)),
    inspect: reads(() => ({ faults: [], next: undefined, isCut: false })),
    repair: reads((_data, { faults }: RepairRequest) => faults.map(() => "gone" as const)),
  } satisfies Partial<Port>;
}

/** Pauses. Claims obey them from then on. */
function pauses({ reads, writes }: Methods) {
  const paused = reads(listPauses);
  return {
    setPauses: writes(setPauses),
    listPauses: (options) => paused(undefined, options),
  } satisfies Partial<Port>;
}

/** Limits. Claims obey them from then on. */
function limits({ reads, writes }: Methods) {
  const declarations = reads(listLimitDeclarations);
  return {
    changeLimits: writes(changeLimits),
    listLimits: reads(listLimits),
    listLimitDeclarations: (options) => declarations(undefined, options),
  } satisfies Partial<Port>;
}

/** Recurring schedules: what a tick and a change mean is a rule. */
function schedules({ reads, writes }: Methods) {
  return {
    tick: writes(writeTicks),
    changeSchedules: writes(changeSchedules),
    dueSchedules: reads(dueSchedules),
    listSchedules: reads(listSchedules),
    listTicks: reads(listTicks),
  } satisfies Partial<Port>;
}

/** Signals: what a wait takes, and when it ends, is a rule. */
function signals({ reads, rule }: Methods) {
  return {
    signal: rule(rules.signal),
    listSignals: reads(listSignals),
  } satisfies Partial<Port>;
}

/** Notes of attempts: who may note something is a rule. */
function notes({ reads, rule }: Methods) {
  return {
    note: rule(rules.note),
    listNotes: reads(listNotes),
  } satisfies Partial<Port>;
}
