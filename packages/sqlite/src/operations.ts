import { createInspect } from "./doctor/inspect.ts";
import { createRepair } from "./doctor/repair.ts";
import { createCancel } from "./operations/cancel.ts";
import { createCount } from "./operations/count.ts";
import { createCountAhead } from "./operations/count-ahead.ts";
import { createEndChain } from "./operations/end-chain.ts";
import { createExchange } from "./operations/exchange.ts";
import { createGetChains } from "./operations/get-chains.ts";
import { createGetJobs } from "./operations/get-jobs.ts";
import { createHold } from "./operations/hold.ts";
import { createHeartbeat } from "./operations/heartbeat.ts";
import { createListBlockers } from "./operations/list-blockers.ts";
import { createListChains } from "./operations/list-chains.ts";
import { createListDue } from "./operations/list-due.ts";
import { createListJobs } from "./operations/list-jobs.ts";
import { createListWorkers } from "./operations/list-workers.ts";
import { createMaintain } from "./operations/maintain.ts";
import { createReach } from "./operations/reach.ts";
import { createRemove } from "./operations/remove.ts";
import { createRenew } from "./operations/renew.ts";
import { createRetry } from "./operations/retry.ts";
import { createSettle } from "./operations/settle.ts";
import { createStoreId } from "./operations/store-id.ts";
import { createStart } from "./operations/start.ts";
import { createTrigger } from "./operations/trigger.ts";
import { createWriteJob } from "./operations/write-job.ts";
import type { Store } from "./store.ts";

/** The operations that write, on one connection. All are synchronous and run in a transaction that is open. */
export function createWrites(store: Store) {
  const writeJob = createWriteJob(store);
  const endChain = createEndChain(store);
  const settle = createSettle(store, { writeJob, endChain });
  return {
    start: createStart(store, writeJob),
    exchange: createExchange(store, { settle, endChain }),
    settle,
    hold: createHold(store),
    renew: createRenew(store),
    heartbeat: createHeartbeat(store),
    trigger: createTrigger(store),
    cancel: createCancel(store, endChain),
    retry: createRetry(store),
    remove: createRemove(store),
    maintain: createMaintain(store),
    repair: createRepair(store),
  };
}

/** The operations that read. */
export function createReads(store: Store) {
  return {
    getChains: createGetChains(store),
    getJobs: createGetJobs(store),
    listChains: createListChains(store),
    listJobs: createListJobs(store),
    listDue: createListDue(store),
    reach: createReach(store),
    listBlockers: createListBlockers(store),
    countAhead: createCountAhead(store),
    listWorkers: createListWorkers(store),
    count: createCount(store),
    storeId: createStoreId(store),
    inspect: createInspect(store),
  };
}
