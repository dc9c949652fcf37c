import { ChainwrightError } from "chainwright";
import { checkKeys, eachChore, type CallOptions, type CountQuery, type StateAdapter } from "chainwright/adapter";
import { checkDriver } from "./check-driver.ts";
import { connect, type Connection } from "./connect.ts";
import { inspect, repair } from "./doctor/doctor.ts";
import type { SqliteDriver } from "./driver.ts";
import { isConflict } from "./errors.ts";
import type { Durability } from "./open.ts";
import { noteAwaited } from "./note-awaited.ts";
import { tablesOf } from "./schema.ts";

/**
 * The options of `createSqliteStateAdapter`.
 *
 * @example
 * import Database from "better-sqlite3";
 *
 * const database = new Database("shop.db"); // the application's own, and its chains beside its tables
 * database.pragma("journal_mode = wal");
 * database.pragma("synchronous = full"); // what `durability` promises
 * const options: SqliteStateAdapterOptions<Database.Database> = { driver: betterSqlite3(database), tablePrefix: "jobs_" };
 * const stateAdapter = createSqliteStateAdapter(options);
 */
export interface SqliteStateAdapterOptions<Tx extends object> {
  /** `betterSqlite3(...)`, `nodeSqlite(...)`, the driver of an ORM such as `drizzleDriver(db)`, or a custom driver. */
  readonly driver: SqliteDriver<Tx>;
  /** Prefix of every table name; an identifier. Default `chainwright_`. */
  readonly tablePrefix?: string | undefined;
  /** What a loss of power can lose, see {@link Durability}. Default `full`. */
  readonly durability?: Durability | undefined;
  /**
   * How long the callback of a transaction may run before it is rolled back. No one else can write during that time. In
   * milliseconds, default 60,000.
   */
  readonly transactionTimeoutMs?: number | undefined;
  /** How long to try for the write lock while another process holds it. In milliseconds, default 30,000. */
  readonly busyTimeoutMs?: number | undefined;
}

/**
 * Keeps chains in a SQLite database, which several processes of one machine may share.
 *
 * @example
 * const stateAdapter = createSqliteStateAdapter({ driver: betterSqlite3("jobs.db"), durability: "normal" });
 * await stateAdapter.migrate();
 */
export function createSqliteStateAdapter<Tx extends object>(
  options: SqliteStateAdapterOptions<Tx>,
): StateAdapter<Tx> & AsyncDisposable {
  checkOptions(options);
  const connection = connect({
    driver: options.driver,
    tables: tablesOf(options.tablePrefix ?? "chainwright_"),
    durability: options.durability ?? "full",
    transactionTimeoutMs: options.transactionTimeoutMs ?? 60_000,
    busyTimeoutMs: options.busyTimeoutMs ?? 30_000,
  });
  const { write, read } = connection;
  type Options = CallOptions<Tx>;
  return {
    portVersion: 1,
    transaction: connection.transaction,
    isConflict,
    insideTransaction: connection.insideTransaction,
    takesRealTime: true,

    start: (calls, call: Options) => write(call, (writes, now) => writes.start(calls, now)),
    exchange: (request, call: Options) => write(call, (writes, now) => writes.exchange(request, now)),
    settle: (outcomes, call: Options) => write(call, (writes, now) => writes.settle(outcomes, now)),
    renew: (request, call: Options) => write(call, (writes, now) => writes.renew(request, now)),
    heartbeat: (heartbeat, call: Options) => write(call, (writes, now) => writes.heartbeat(heartbeat, now)),
    setPauses: (request, call: Options) => write(call, (writes, now) => writes.setPauses(request, now)),
    ...limitCalls(connection),
    ...scheduleCalls(connection),
    ...signalCalls(connection),
    trigger: (jobIds, call: Options) => write(call, (writes, now) => writes.trigger(jobIds, now)),
    cancel: (items, call: Options) => write(call, (writes, now) => writes.cancel(items, now)),
    retry: (items, call: Options) => write(call, (writes, now) => writes.retry(items, now)),
    remove: (request, call: Options) => write(call, (writes, now) => writes.remove(request, now)),
    maintain: (request, call: Options) =>
      eachChore(request, (chore) => write(call, (writes, now) => writes.maintain({ ...request, chore }, now))),

    noteAwaited: (ids, call: Options) => noteAwaited(connection, ids, call),
    getChains: (ids, call: Options) => read(call, (reads) => reads.getChains(ids)),
    getKeyHolders: (keys, call: Options) => read(call, (reads, now) => reads.getKeyHolders(keys, now)),
    getJobs: (ids, call: Options) => read(call, (reads, now) => reads.getJobs(ids, now)),
    listChains: (query, call: Options) => read(call, (reads) => reads.listChains(query)),
    listJobs: (query, call: Options) => read(call, (reads, now) => reads.listJobs(query, now)),
    listDue: (query, call: Options) => read(call, (reads, now) => reads.listDue(query, now)),
    reach: (query, call: Options) => read(call, (reads) => reads.reach(query)),
    listBlockers: (query, call: Options) => read(call, (reads) => reads.listBlockers(query)),
    ...countCalls(connection),
    listPauses: (call: Options) => read(call, (reads, now) => reads.listPauses(now)),
    listWorkers: (call: Options) => read(call, (reads, now) => reads.listWorkers(now)),
    listLostWorkers: (call: Options) => read(call, (reads, now) => reads.listLostWorkers(now)),
    storeId: (call: Options) => read(call, (reads) => reads.storeId()),

    inspect: (request, call: Options) => inspect(connection, request, call),
    repair: (request, call: Options) => repair(connection, request, call),

    migrate: connection.migrate,
    schema: connection.schemaState,
    close: connection.close,
    [Symbol.asyncDispose]: connection.close,
  };
}

function signalCalls<Tx extends object>({ write, read }: Connection<Tx>) {
  type Options = CallOptions<Tx>;
  return {
    compensate: (items, call: Options) => write(call, (writes, now) => writes.compensate(items, now)),
    signal: (items, call: Options) => write(call, (writes, now) => writes.signal(items, now)),
    listSignals: (query, call: Options) => read(call, (reads) => reads.listSignals(query)),
    note: (items, call: Options) => write(call, (writes, now) => writes.note(items, now)),
    listNotes: (query, call: Options) => read(call, (reads) => reads.listNotes(query)),
  } satisfies Partial<StateAdapter<Tx>>;
}

function countCalls<Tx extends object>({ read }: Connection<Tx>) {
  type Options = CallOptions<Tx>;
  return {
    countBlockers: (query, call: Options) => read(call, (reads) => reads.countBlockers(query)),
    countAhead: (jobId, limit, call: Options) => read(call, (reads, now) => reads.countAhead(jobId, limit, now)),
    count: (call: Options & CountQuery) => read(call, (reads, now) => reads.count(call, now)),
    groupFailures: (query, call: Options) => read(call, (reads) => reads.groupFailures(query)),
    readHistory: (query, call: Options) => read(call, (reads, now) => reads.readHistory(query, now)),
    countQueued: (call: Options) => read(call, (reads, now) => reads.countQueued(now)),
  } satisfies Partial<StateAdapter<Tx>>;
}

function limitCalls<Tx extends object>({ write, read }: Connection<Tx>) {
  type Options = CallOptions<Tx>;
  return {
    changeLimits: (changes, call: Options) => write(call, (writes, now) => writes.changeLimits(changes, now)),
    listLimits: (query, call: Options) => read(call, (reads, now) => reads.listLimits(query, now)),
    listLimitDeclarations: (call: Options) => read(call, (reads, now) => reads.listLimitDeclarations(now)),
  } satisfies Partial<StateAdapter<Tx>>;
}

function scheduleCalls<Tx extends object>({ write, read }: Connection<Tx>) {
  type Options = CallOptions<Tx>;
  return {
    tick: (items, call: Options) => write(call, (writes, now) => writes.tick(items, now)),
    changeSchedules: (changes, call: Options) => write(call, (writes, now) => writes.changeSchedules(changes, now)),
    dueSchedules: (limit, call: Options) => read(call, (reads, now) => reads.dueSchedules(limit, now)),
    listSchedules: (query, call: Options) => read(call, (reads, now) => reads.listSchedules(query, now)),
    listTicks: (query, call: Options) => read(call, (reads) => reads.listTicks(query)),
  } satisfies Partial<StateAdapter<Tx>>;
}

const optionKeys = {
  driver: true,
  tablePrefix: true,
  durability: true,
  transactionTimeoutMs: true,
  busyTimeoutMs: true,
} satisfies Record<keyof SqliteStateAdapterOptions<object>, true>;

function checkOptions(options: SqliteStateAdapterOptions<object>): void {
  checkKeys(options, optionKeys, "createSqliteStateAdapter");
  checkDriver(options.driver, "createSqliteStateAdapter");
  const { durability, transactionTimeoutMs, busyTimeoutMs } = options;
  if (durability !== undefined && !["full", "normal", "off"].includes(durability)) {
    throw invalid(`durability must be "full", "normal" or "off"; got ${JSON.stringify(durability)}`);
  }
  for (const [name, value] of Object.entries({ transactionTimeoutMs, busyTimeoutMs })) {
    if (value !== undefined && !(value >= 0 && value < 2 ** 31)) {
      throw invalid(`${name} must be a number of milliseconds below 2^31; got ${String(value)}`);
    }
  }
}

function invalid(message: string): ChainwrightError {
  return new ChainwrightError("invalid-input", message);
}
