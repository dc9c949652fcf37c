import { createInspect } from "./doctor/inspect.ts";
import { createRepair } from "./doctor/repair.ts";
import { createChangeLimits } from "./operations/change-limits.ts";
import { createCount } from "./operations/count.ts";
import { createCountQueued } from "./operations/count-queued.ts";
import { createCountBlockers } from "./operations/count-blockers.ts";
import { createCountAhead } from "./operations/count-ahead.ts";
import { createDueSchedules } from "./operations/due-schedules.ts";
import { createExchange } from "./operations/exchange.ts";
import { createGetChains } from "./operations/get-chains.ts";
import { createGetKeyHolders } from "./operations/get-key-holders.ts";
import { createGetJobs } from "./operations/get-jobs.ts";
import { createHold } from "./operations/hold.ts";
import { createHeartbeat } from "./operations/heartbeat.ts";
import { createListBlockers } from "./operations/list-blockers.ts";
import { createListChains } from "./operations/list-chains.ts";
import { createListDue } from "./operations/list-due.ts";
import { createListJobs } from "./operations/list-jobs.ts";
import { createListLimitDeclarations, createListLimits } from "./operations/list-limits.ts";
import { createListPauses } from "./operations/list-pauses.ts";
import { createListSchedules } from "./operations/list-schedules.ts";
import { createListTicks } from "./operations/list-ticks.ts";
import { createListLostWorkers, createListWorkers } from "./operations/list-workers.ts";
import { createNoteAwaited } from "./operations/note-awaited.ts";
import { createMaintain } from "./upkeep/maintain.ts";
import { createGroupFailures } from "./failures/group-failures.ts";
import { createReadHistory } from "./upkeep/history.ts";
import { createReach } from "./operations/reach.ts";
import { createRenew } from "./operations/renew.ts";
import { createSetPauses } from "./operations/set-pauses.ts";
import { createStoreId } from "./operations/store-id.ts";
import { rules } from "chainwright/adapter";
import type {
  CancelItem,
  CompensateItem,
  NoteItem,
  Outcome,
  RemoveRequest,
  RetryItem,
  ScheduleChange,
  SignalItem,
  StartCall,
  TickItem,
} from "chainwright/adapter";
import { createRows } from "./rows/rows.ts";
import { createScheduleRows } from "./rows/schedules.ts";
import { createListNotes } from "./notes/list-notes.ts";
import { createListSignals } from "./signals/list-signals.ts";
import type { Store } from "./store.ts";

/** The operations that write, on one connection. All are synchronous and run in an open transaction. */
export function createWrites(store: Store) {
  const rows = createRows(store);
  const schedules = createScheduleRows(store);
  return {
    start: (calls: readonly StartCall[], now: number) => rules.start(rows, calls, now),
    exchange: createExchange(store, rows),
    settle: (outcomes: readonly Outcome[], now: number) => rules.settle(rows, outcomes, now),
    hold: createHold(rows),
    renew: createRenew(store, rows),
    heartbeat: createHeartbeat(store),
    setPauses: createSetPauses(store),
    changeLimits: createChangeLimits(store),
    trigger: (jobIds: readonly string[], now: number) => rules.trigger(rows, jobIds, now),
    cancel: (items: readonly CancelItem[], now: number) => rules.cancel(rows, items, now),
    retry: (items: readonly RetryItem[], now: number) => rules.retry(rows, items, now),
    remove: (request: RemoveRequest, now: number) => rules.remove(rows, request, now),
    compensate: (items: readonly CompensateItem[], now: number) => rules.compensate(rows, items, now),
    note: (items: readonly NoteItem[], now: number) => rules.note(rows, items, now),
    signal: (items: readonly SignalItem[], now: number) => rules.signal(rows, items, now),
    tick: (items: readonly TickItem[], now: number) => rules.tick({ rows, schedules }, items, now),
    changeSchedules: (changes: readonly ScheduleChange[], now: number) =>
      rules.changeSchedules(schedules, changes, now),
    noteAwaited: createNoteAwaited(store),
    maintain: createMaintain(store, rows),
    repair: createRepair(store, rows),
  };
}

/** The operations that read. */
export function createReads(store: Store) {
  return {
    getChains: createGetChains(store),
    getKeyHolders: createGetKeyHolders(store),
    getJobs: createGetJobs(store),
    listChains: createListChains(store),
    listJobs: createListJobs(store),
    listDue: createListDue(store),
    reach: createReach(store),
    listBlockers: createListBlockers(store),
    countBlockers: createCountBlockers(store),
    countAhead: createCountAhead(store),
    listPauses: createListPauses(store),
    listLimits: createListLimits(store),
    listLimitDeclarations: createListLimitDeclarations(store),
    dueSchedules: createDueSchedules(store),
    listSchedules: createListSchedules(store),
    listSignals: createListSignals(store),
    listNotes: createListNotes(store),
    listTicks: createListTicks(store),
    listWorkers: createListWorkers(store),
    listLostWorkers: createListLostWorkers(store),
    count: createCount(store),
    readHistory: createReadHistory(store),
    groupFailures: createGroupFailures(store),
    countQueued: createCountQueued(store),
    storeId: createStoreId(store),
    inspect: createInspect(store),
  };
}
