import { ChainwrightError } from "chainwright";
import type { StateAdapter } from "chainwright/adapter";
import { createDisturbedWrites } from "./disturbed-writes.ts";
import { lostRace, reachStore } from "./store-faults.ts";
import type { Method, StoreFaults } from "./store-faults.ts";

/** The real adapter, with every call subject to the faults. */
export function createDisturbedAdapter(real: StateAdapter, faults: StoreFaults): StateAdapter {
  const { transaction, start, exchange, settle } = createDisturbedWrites(real, faults);
  const pass = async <T>(method: Method, call: () => Promise<T>): Promise<T> => {
    if ((await reachStore(faults, method)) === "lost-race") throw lostRace();
    return await call();
  };
  /** The same for calls that carry payloads. */
  const carry = async <T>(method: Method, payload: unknown, call: () => Promise<T>): Promise<T> =>
    await pass(method, () => {
      const { poison } = faults;
      if (poison !== undefined && JSON.stringify(payload).includes(poison)) throw new Error("the store chokes on it");
      return call();
    });

  return {
    portVersion: real.portVersion,
    transaction,
    isConflict: (error) =>
      real.isConflict(error) || (error instanceof ChainwrightError && error.code === "transaction-conflict"),
    ...(real.insideTransaction && { insideTransaction: real.insideTransaction }),
    transactionOf: (tx) => real.transactionOf?.(tx),
    start: (...args) => carry("start", args[0], () => start(...args)),
    exchange: (...args) => carry("exchange", args[0], () => exchange(...args)),
    settle: (...args) => carry("settle", args[0], () => settle(...args)),
    compensate: (...args) => carry("compensate", args[0], () => real.compensate(...args)),
    renew: (...args) => pass("renew", () => real.renew(...args)),
    heartbeat: (...args) => pass("heartbeat", () => real.heartbeat(...args)),
    setPauses: (...args) => pass("setPauses", () => real.setPauses(...args)),
    changeLimits: (...args) => pass("changeLimits", () => real.changeLimits(...args)),
    ...scheduleCalls(real, pass),
    ...signalCalls(real, pass, carry),
    trigger: (...args) => pass("trigger", () => real.trigger(...args)),
    cancel: (...args) => pass("cancel", () => real.cancel(...args)),
    retry: (...args) => pass("retry", () => real.retry(...args)),
    remove: (...args) => pass("remove", () => real.remove(...args)),
    getChains: (...args) => pass("getChains", () => real.getChains(...args)),
    getKeyHolders: (...args) => pass("getKeyHolders", () => real.getKeyHolders(...args)),
    ...(real.noteAwaited && {
      noteAwaited: (ids, options) => pass("noteAwaited", async () => (await real.noteAwaited?.(ids, options)) ?? []),
    }),
    getJobs: (...args) => pass("getJobs", () => real.getJobs(...args)),
    listChains: (...args) => pass("listChains", () => real.listChains(...args)),
    listJobs: (...args) => pass("listJobs", () => real.listJobs(...args)),
    listDue: (...args) => pass("listDue", () => real.listDue(...args)),
    reach: (...args) => pass("reach", () => real.reach(...args)),
    listBlockers: (...args) => pass("listBlockers", () => real.listBlockers(...args)),
    ...countCalls(real, pass),
    listPauses: (...args) => pass("listPauses", () => real.listPauses(...args)),
    listLimits: (...args) => pass("listLimits", () => real.listLimits(...args)),
    listLimitDeclarations: (...args) => pass("listLimitDeclarations", () => real.listLimitDeclarations(...args)),
    listWorkers: (...args) => pass("listWorkers", () => real.listWorkers(...args)),
    inspect: (...args) => pass("inspect", () => real.inspect(...args)),
    repair: (...args) => pass("repair", () => real.repair(...args)),
    maintain: (...args) => pass("maintain", () => real.maintain(...args)),
    storeId: (...args) => pass("storeId", () => real.storeId(...args)),
    migrate: (...args) => real.migrate(...args),
    schema: () => real.schema(),
    close: () => real.close(),
  };
}

type Pass = <T>(method: Method, call: () => Promise<T>) => Promise<T>;
type Carry = <T>(method: Method, payload: unknown, call: () => Promise<T>) => Promise<T>;

function countCalls(real: StateAdapter, pass: Pass) {
  return {
    countBlockers: (...args) => pass("countBlockers", () => real.countBlockers(...args)),
    countAhead: (...args) => pass("countAhead", () => real.countAhead(...args)),
    count: (...args) => pass("count", () => real.count(...args)),
    ...(real.readHistory !== undefined && { readHistory: real.readHistory }),
    ...(real.listLostWorkers !== undefined && { listLostWorkers: real.listLostWorkers }),
    ...(real.groupFailures !== undefined && { groupFailures: real.groupFailures }),
    countQueued: (...args) => pass("countQueued", () => real.countQueued(...args)),
  } satisfies Partial<StateAdapter>;
}

function scheduleCalls(real: StateAdapter, pass: Pass) {
  return {
    tick: (...args) => pass("tick", () => real.tick(...args)),
    changeSchedules: (...args) => pass("changeSchedules", () => real.changeSchedules(...args)),
    dueSchedules: (...args) => pass("dueSchedules", () => real.dueSchedules(...args)),
    listSchedules: (...args) => pass("listSchedules", () => real.listSchedules(...args)),
    listTicks: (...args) => pass("listTicks", () => real.listTicks(...args)),
  } satisfies Partial<StateAdapter>;
}

function signalCalls(real: StateAdapter, pass: Pass, carry: Carry) {
  return {
    signal: (...args) => pass("signal", () => real.signal(...args)),
    note: (...args) => carry("note", args[0], () => real.note(...args)),
    listNotes: (...args) => pass("listNotes", () => real.listNotes(...args)),
    listSignals: (...args) => pass("listSignals", () => real.listSignals(...args)),
  } satisfies Partial<StateAdapter>;
}
