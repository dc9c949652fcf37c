import { eachChore } from "../model/chore.ts";
import { isChainwrightError } from "../model/error.ts";
import type { Clock } from "../ports/clock.ts";
import { onlySchema } from "./only-schema.ts";
import type { StateAdapter } from "../ports/state.ts";
import { start } from "../rules/begin.ts";
import { cancel, remove, retry, trigger } from "../rules/change.ts";
import { settle } from "../rules/settle.ts";
import { createCalls } from "./calls.ts";
import type { Calls } from "./calls.ts";
import { countBlockers } from "./operations/count-blockers.ts";
import { countAhead } from "./operations/count-ahead.ts";
import { count } from "./operations/count.ts";
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
import { listPauses } from "./operations/list-pauses.ts";
import { listWorkers } from "./operations/list-workers.ts";
import { maintain } from "./operations/maintain.ts";
import { reach } from "./operations/reach.ts";
import { renew } from "./operations/renew.ts";
import { repair } from "./operations/repair.ts";
import { setPauses } from "./operations/set-pauses.ts";
import { storeId } from "./operations/store-id.ts";
import { transact } from "./transactions.ts";
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
  const { opened, reads, writes, rules, close } = calls;
  const ahead = reads(countAhead);
  const workers = reads(listWorkers);
  const pauses = reads(listPauses);
  const counts = reads(count);
  const id = reads(storeId);
  const maintainOne = writes(maintain);

  return {
    portVersion: 1,
    transaction: async (run, transactionOptions) => transact(opened(), run, transactionOptions),
    isConflict: (error) => isChainwrightError(error, "transaction-conflict"),

    start: rules(start),
    exchange: rules(exchange),
    settle: rules(settle),
    renew: rules(renew),
    heartbeat: writes(heartbeat),
    setPauses: writes(setPauses),
    trigger: rules(trigger),
    cancel: rules(cancel),
    retry: rules(retry),
    remove: rules(remove),

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
    listWorkers: (call) => workers(undefined, call),
    count: (call) => counts(undefined, call),
    storeId: (call) => id(undefined, call),

    inspect: reads(inspect),
    repair: writes(repair),
    maintain: (request, call) => eachChore(request, (chore) => maintainOne({ ...request, chore }, call)),
    migrate: async () => (opened(), []),
    schema: async () => (opened(), onlySchema),
    close: async () => {
      close();
    },
    [Symbol.asyncDispose]: async () => {
      close();
    },
  };
}
