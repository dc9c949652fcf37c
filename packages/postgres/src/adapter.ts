import { ChainwrightError } from "chainwright";
import { checkKeys, type CallOptions, type StateAdapter } from "chainwright/adapter";
import { checkDriver } from "./check-driver.ts";
import { connect } from "./connect.ts";
import { inspect } from "./doctor/inspect.ts";
import { repair } from "./doctor/repair.ts";
import type { PostgresDriver } from "./driver.ts";
import { isConflict } from "./errors.ts";
import { listNotes } from "./operations/list-notes.ts";
import { note } from "./operations/note.ts";
import { cancel } from "./operations/cancel.ts";
import { changeLimits } from "./operations/change-limits.ts";
import { changeSchedules } from "./operations/change-schedules.ts";
import { compensate } from "./operations/compensate.ts";
import { count } from "./operations/count.ts";
import { countBlockers } from "./operations/count-blockers.ts";
import { countQueued } from "./operations/count-queued.ts";
import { readHistory } from "./upkeep/history.ts";
import { countAhead } from "./operations/count-ahead.ts";
import { dueSchedules } from "./operations/due-schedules.ts";
import { exchange } from "./operations/exchange.ts";
import { getChains } from "./operations/get-chains.ts";
import { getJobs } from "./operations/get-jobs.ts";
import { getKeyHolders } from "./operations/get-key-holders.ts";
import { heartbeat } from "./operations/heartbeat.ts";
import { withHold } from "./operations/hold-fence.ts";
import { listBlockers } from "./operations/list-blockers.ts";
import { listChains } from "./operations/list-chains.ts";
import { listDue } from "./operations/list-due.ts";
import { listJobs } from "./operations/list-jobs.ts";
import { listLimitDeclarations, listLimits } from "./operations/list-limits.ts";
import { listPauses } from "./operations/list-pauses.ts";
import { listSignals } from "./operations/list-signals.ts";
import { listSchedules } from "./operations/list-schedules.ts";
import { listTicks } from "./operations/list-ticks.ts";
import { groupFailures } from "./failures/group-failures.ts";
import { listLostWorkers, listWorkers } from "./operations/list-workers.ts";
import { lockHolders } from "./operations/lock-holders.ts";
import { maintain } from "./operations/maintain.ts";
import { noteAwaited } from "./operations/note-awaited.ts";
import { withLeasesExtended } from "./operations/prolong-leases.ts";
import { reach } from "./operations/reach.ts";
import { remove } from "./operations/remove.ts";
import { renew } from "./operations/renew.ts";
import { retry } from "./operations/retry.ts";
import { setPauses } from "./operations/set-pauses.ts";
import { settle } from "./operations/settle.ts";
import { signal } from "./operations/signal.ts";
import { storeId } from "./operations/store-id.ts";
import { start } from "./operations/start.ts";
import { tick } from "./operations/tick.ts";
import { trigger } from "./operations/trigger.ts";
import { schemaOf } from "./schema.ts";
import type { Store } from "./store.ts";

/**
 * Options of `createPostgresStateAdapter`.
 *
 * @example
 * import type { PoolClient } from "pg";
 *
 * const perTenant = (tenant: string): PostgresStateAdapterOptions<PoolClient> => ({
 *   driver: pg(pool),
 *   schema: `jobs_${tenant}`, // a store of its own: workers of other tenants do not see its chains
 * });
 * const stateAdapter = createPostgresStateAdapter(perTenant("acme"));
 */
export interface PostgresStateAdapterOptions<Tx> {
  /** `pg(pool)`, `postgresJs(sql)`, `pglite(db)`, the driver of an ORM such as `drizzleDriver(db)`, or one of your own. */
  readonly driver: PostgresDriver<Tx>;
  /** The schema for everything of the library. Default: `chainwright`. */
  readonly schema?: string | undefined;
  /**
   * How long the callback of a transaction that the library opens may run: the callbacks of `client.transaction`, `prepare` and
   * `complete`. After this time the transaction is rolled back, the call rejects with `timeout`, and its `tx` is `closed`. In
   * milliseconds, `Infinity` is allowed. Default: 60,000.
   */
  readonly transactionTimeoutMs?: number | undefined;
  /**
   * How long a call without `tx` may take, the wait for a connection included, and the commit of a transaction that the library
   * opens. After this time the connection is closed, and the call rejects with `store-unavailable`; its outcome is unknown if
   * anything was sent. It must be shorter than the leases of workers. In milliseconds, `Infinity` is allowed. Default: 20,000.
   */
  readonly callLimitMs?: number | undefined;
}

/**
 * Stores chains in a Postgres database, in a schema of their own.
 *
 * @example
 * const stateAdapter = createPostgresStateAdapter({ driver: pg(pool), schema: "chainwright" });
 * await stateAdapter.migrate();
 */
export function createPostgresStateAdapter<Tx>(
  options: PostgresStateAdapterOptions<Tx>,
): StateAdapter<Tx> & AsyncDisposable {
  checkOptions(options);
  const store = connect(options.driver, schemaOf(options.schema ?? "chainwright"), {
    transactionTimeoutMs: options.transactionTimeoutMs ?? 60_000,
    callLimitMs: options.callLimitMs ?? 20_000,
  });
  const { insideTransaction } = options.driver;
  type Options = CallOptions<Tx>;
  return {
    portVersion: 1,
    transaction: (run, { holding } = {}) => {
      const held = holding === undefined ? run : withHold(store, run, holding);
      return store.transaction(insideTransaction === undefined ? held : withLeasesExtended(store, held));
    },
    transactionOf: store.handles.idOf,
    isConflict,
    connections: options.driver.connections,
    takesRealTime: true,
    lockHolders: (call: Options) => lockHolders(store, call),
    ...(insideTransaction && { insideTransaction }),

    start: (calls, call: Options) => start(store, calls, call),
    exchange: (request, call: Options) => exchange(store, request, call),
    settle: (outcomes, call: Options) => settle(store, outcomes, call),
    compensate: (items, call: Options) => compensate(store, items, call),
    renew: (request, call: Options) => renew(store, request, call),
    heartbeat: (said, call: Options) => heartbeat(store, said, call),
    setPauses: (request, call: Options) => setPauses(store, request, call),
    ...limitCalls(store),
    ...scheduleCalls(store),
    ...signalCalls(store),
    trigger: (jobIds, call: Options) => trigger(store, jobIds, call),
    cancel: (items, call: Options) => cancel(store, items, call),
    retry: (items, call: Options) => retry(store, items, call),
    remove: (request, call: Options) => remove(store, request, call),
    maintain: (request, call: Options) => maintain(store, request, call),

    ...reads(store),
    inspect: (request, call: Options) => inspect(store, request, call),
    repair: (request, call: Options) => repair(store, request, call),

    migrate: store.migrate,
    schema: store.schemaState,
    close: store.close,
    [Symbol.asyncDispose]: store.close,
  };
}

function reads<Tx>(store: Store<Tx>) {
  type Options = CallOptions<Tx>;
  return {
    getChains: (ids, call: Options) => getChains(store, ids, call),
    getKeyHolders: (keys, call: Options) => getKeyHolders(store, keys, call),
    noteAwaited: (ids, call: Options) => noteAwaited(store, ids, call),
    getJobs: (ids, call: Options) => getJobs(store, ids, call),
    listChains: (query, call: Options) => listChains(store, query, call),
    listJobs: (query, call: Options) => listJobs(store, query, call),
    listDue: (query, call: Options) => listDue(store, query, call),
    reach: (query, call: Options) => reach(store, query, call),
    listBlockers: (query, call: Options) => listBlockers(store, query, call),
    countBlockers: (query, call: Options) => countBlockers(store, query, call),
    countAhead: (jobId, limit, call: Options) => countAhead(store, { jobId, limit }, call),
    listPauses: (call: Options) => listPauses(store, call),
    listWorkers: (call: Options) => listWorkers(store, call),
    listLostWorkers: (call: Options) => listLostWorkers(store, call),
    count: (call: Options) => count(store, call),
    groupFailures: (query, call: Options) => groupFailures(store, query, call),
    readHistory: (query, call: Options) => readHistory(store, query, call),
    countQueued: (call: Options) => countQueued(store, call),
    storeId: (call: Options) => storeId(store, call),
  } satisfies Partial<StateAdapter<Tx>>;
}

function limitCalls<Tx>(store: Store<Tx>) {
  type Options = CallOptions<Tx>;
  return {
    changeLimits: (changes, call: Options) => changeLimits(store, changes, call),
    listLimits: (query, call: Options) => listLimits(store, query, call),
    listLimitDeclarations: (call: Options) => listLimitDeclarations(store, call),
  } satisfies Partial<StateAdapter<Tx>>;
}

function signalCalls<Tx>(store: Store<Tx>) {
  type Options = CallOptions<Tx>;
  return {
    signal: (items, call: Options) => signal(store, items, call),
    listSignals: (query, call: Options) => listSignals(store, query, call),
    note: (items, call: Options) => note(store, items, call),
    listNotes: (query, call: Options) => listNotes(store, query, call),
  } satisfies Partial<StateAdapter<Tx>>;
}

function scheduleCalls<Tx>(store: Store<Tx>) {
  type Options = CallOptions<Tx>;
  return {
    tick: (items, call: Options) => tick(store, items, call),
    changeSchedules: (changes, call: Options) => changeSchedules(store, changes, call),
    dueSchedules: (limit, call: Options) => dueSchedules(store, limit, call),
    listSchedules: (query, call: Options) => listSchedules(store, query, call),
    listTicks: (query, call: Options) => listTicks(store, query, call),
  } satisfies Partial<StateAdapter<Tx>>;
}

const optionKeys = {
  driver: true,
  schema: true,
  transactionTimeoutMs: true,
  callLimitMs: true,
} satisfies Record<keyof PostgresStateAdapterOptions<unknown>, true>;

function checkOptions(options: PostgresStateAdapterOptions<unknown>): void {
  checkKeys(options, optionKeys, "createPostgresStateAdapter");
  checkDriver(options.driver, "createPostgresStateAdapter", "query", "transaction", "close");
  const { transactionTimeoutMs, callLimitMs } = options;
  for (const [name, value] of Object.entries({ transactionTimeoutMs, callLimitMs })) {
    if (value !== undefined && !(value > 0)) {
      throw invalid(`${name} must be a number of milliseconds above 0, or Infinity; got ${String(value)}`);
    }
  }
}

function invalid(message: string): ChainwrightError {
  return new ChainwrightError("invalid-input", message);
}
