import { createInspect } from "./doctor/inspect.ts";
import { createRepair } from "./doctor/repair.ts";
import { createCount } from "./operations/count.ts";
import { createCountBlockers } from "./operations/count-blockers.ts";
import { createCountAhead } from "./operations/count-ahead.ts";
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
import { createListPauses } from "./operations/list-pauses.ts";
import { createListWorkers } from "./operations/list-workers.ts";
import { createNoteAwaited } from "./operations/note-awaited.ts";
import { createMaintain } from "./upkeep/maintain.ts";
import { createReach } from "./operations/reach.ts";
import { createRenew } from "./operations/renew.ts";
import { createSetPauses } from "./operations/set-pauses.ts";
import { createStoreId } from "./operations/store-id.ts";
import { rules } from "chainwright/adapter";
import type { CancelItem, Outcome, RemoveRequest, RetryItem, StartCall } from "chainwright/adapter";
import { createRows } from "./rows/rows.ts";
import type { Store } from "./store.ts";

/** The operations that write, on one connection. All are synchronous and run in an open transaction. */
export function createWrites(store: Store) {
  const rows = createRows(store);
  return {
    start: (calls: readonly StartCall[], now: number) => rules.start(rows, calls, now),
    exchange: createExchange(store, rows),
    settle: (outcomes: readonly Outcome[], now: number) => rules.settle(rows, outcomes, now),
    hold: createHold(rows),
    renew: createRenew(store, rows),
    heartbeat: createHeartbeat(store),
    setPauses: createSetPauses(store),
    trigger: (jobIds: readonly string[], now: number) => rules.trigger(rows, jobIds, now),
    cancel: (items: readonly CancelItem[], now: number) => rules.cancel(rows, items, now),
    retry: (items: readonly RetryItem[], now: number) => rules.retry(rows, items, now),
    remove: (request: RemoveRequest, now: number) => rules.remove(rows, request, now),
    noteAwaited: createNoteAwaited(store),
    maintain: createMaintain(store),
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
    listWorkers: createListWorkers(store),
    count: createCount(store),
    storeId: createStoreId(store),
    inspect: createInspect(store),
  };
}
