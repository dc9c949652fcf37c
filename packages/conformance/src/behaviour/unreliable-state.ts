import { ChainwrightError } from "chainwright";
import type { Outcome, SettleReply, StateAdapter } from "chainwright/adapter";
import { present } from "../check.ts";
import { createGate, type Gate } from "./gate.ts";

/** The state in which a call finds the store. */
type Weather = "fine" | "away" | "read-only" | "lost-race";

/** The state adapter of one process, which a case can disturb. The store behind it is the real one. */
export interface UnreliableState {
  readonly adapter: StateAdapter;
  /** From now on every call rejects as when the store is out of reach; with `false` it is there again. */
  away(isAway: boolean): void;
  /** From now on every call rejects as when the store takes no writes; with `false` it does again. */
  readOnly(isReadOnly: boolean): void;
  /** From now on outcomes whose text contains this are `busy`, as when others hold their rows; with `undefined` they are free. */
  holdRowsOf(text: string | undefined): void;
  /** From now on exchanges are carried out at once, and their replies come when this is called with `false`. */
  detainReplies(isDetained: boolean): void;
  /** From now on calls never return; with `false` new ones do. */
  hang(hangs: boolean): void;
  /** Calls of `start`, `exchange` and `settle` whose text contains this reject, as when a store chokes on a value. */
  chokeOn(text: string): void;
  /** The next calls of these methods reject as transactions do that lost a race, after they have been rolled back. */
  loseRaces(methods: readonly Method[], times: number): void;
  /**
   * The next calls of `start` without a transaction reject as when the connection breaks, and no one can say whether they were
   * carried out: they were, or they were not.
   */
  loseStarts(fates: readonly ("written" | "not-written")[]): void;
  /** The process is dead: no call reaches the store any more, and no reply reaches the process. */
  kill(): void;
  readonly isDead: () => boolean;
  /** From now on transactions wait before they are opened, as for a connection; with `false` they continue. */
  holdTransactions(holds: boolean): void;
  /** How many transactions have begun. */
  readonly openedTransactions: () => number;
  /** How many transactions have begun and not ended. */
  readonly openTransactions: () => number;
  /** Calls made so far, by method. */
  readonly calls: ReadonlyMap<Method, number>;
}

export type Method = Exclude<
  keyof StateAdapter,
  "isConflict" | "insideTransaction" | "transactionOf" | "connections" | "lockHolders" | "close" | "migrate"
>;

export function createUnreliableState(real: StateAdapter): UnreliableState {
  const calls = new Map<Method, number>();
  const races = new Map<Method, number>();
  let isAway = false;
  let isReadOnly = false;
  let heldText: string | undefined;
  let detained: PromiseWithResolvers<void> | undefined;
  let hangs = false;
  let dead = false;
  let open = 0;
  let opened = 0;
  let held: Gate | undefined;
  let poison: string | undefined;
  const fates: ("written" | "not-written")[] = [];

  const weather = (method: Method): Weather => {
    const left = races.get(method) ?? 0;
    if (isAway) return "away";
    if (isReadOnly) return "read-only";
    if (left === 0) return "fine";
    races.set(method, left - 1);
    return "lost-race";
  };
  /** Resolves when a call may continue to the store, and returns what it meets there. */
  const reach = async (method: Method): Promise<Weather> => {
    calls.set(method, (calls.get(method) ?? 0) + 1);
    if (dead || hangs) return await new Promise<never>(() => {});
    const now = weather(method);
    if (now === "away") throw new ChainwrightError("store-unavailable", "the case has put the store out of reach");
    if (now === "read-only") throw takesNoWrites();
    return now;
  };
  /** The same for calls that carry payloads. */
  const carry = async <T>(method: Method, payload: unknown, call: () => Promise<T>): Promise<T> =>
    await pass(method, () => {
      if (poison !== undefined && JSON.stringify(payload).includes(poison)) throw new Error("the store chokes on it");
      return call();
    });
  /** A start whose reply is lost, if it is to be. */
  const start: StateAdapter["start"] = async (starts, options) => {
    const fate = options.tx === undefined ? fates.shift() : undefined;
    if (fate === undefined) return await real.start(starts, options);
    if (fate === "written") await real.start(starts, options);
    throw new ChainwrightError("store-unavailable", "the case has lost the reply", { details: { outcome: "unknown" } });
  };
  const pass = async <T>(method: Method, call: () => Promise<T>): Promise<T> => {
    if ((await reach(method)) === "lost-race") throw lostRace();
    return await call();
  };

  const heldNow = (): ((outcome: Outcome) => boolean) => {
    const text = heldText;
    return (outcome) => text !== undefined && JSON.stringify(outcome).includes(text);
  };
  const exchange: StateAdapter["exchange"] = async (request, options) => {
    const isHeld = heldNow();
    const reply = await real.exchange(
      { ...request, outcomes: request.outcomes.filter((outcome) => !isHeld(outcome)) },
      options,
    );
    await detained?.promise;
    return { ...reply, settled: withBusy(request.outcomes, isHeld, reply.settled) };
  };
  const settle: StateAdapter["settle"] = async (outcomes, options) => {
    if (options.waitMs === undefined) return await real.settle(outcomes, options);
    const isHeld = heldNow();
    const free = outcomes.filter((outcome) => !isHeld(outcome));
    return withBusy(outcomes, isHeld, free.length === 0 ? [] : await real.settle(free, options));
  };

  return {
    calls,
    away(next) {
      isAway = next;
    },
    readOnly(next) {
      isReadOnly = next;
    },
    holdRowsOf(text) {
      heldText = text;
    },
    detainReplies(isDetained) {
      detained?.resolve();
      detained = isDetained ? Promise.withResolvers() : undefined;
    },
    hang(next) {
      hangs = next;
    },
    chokeOn(text) {
      poison = text;
    },
    loseRaces(methods, times) {
      for (const method of methods) races.set(method, times);
    },
    loseStarts(next) {
      fates.push(...next);
    },
    kill() {
      dead = true;
    },
    isDead: () => dead,
    holdTransactions(holds) {
      held?.open();
      held = holds ? createGate() : undefined;
    },
    openedTransactions: () => opened,
    openTransactions: () => open,
    adapter: {
      transaction: async (run, options) => {
        const now = await reach("transaction");
        await held?.passed;
        return await real.transaction(async (tx) => {
          open += 1;
          opened += 1;
          try {
            const result = await run(tx);
            if (dead) await new Promise<never>(() => {});
            // It loses at its end, as databases notice it: the callback has run, and is undone.
            if (now === "lost-race") throw lostRace();
            return result;
          } finally {
            open -= 1;
          }
        }, options);
      },
      isConflict: (error) =>
        real.isConflict(error) || (error instanceof ChainwrightError && error.code === "transaction-conflict"),
      ...(real.insideTransaction && { insideTransaction: real.insideTransaction }),
      transactionOf: (tx) => real.transactionOf?.(tx),
      start: (...args) => carry("start", args[0], () => start(...args)),
      exchange: (...args) => carry("exchange", args[0], () => exchange(...args)),
      settle: (...args) => carry("settle", args[0], () => settle(...args)),
      renew: (...args) => pass("renew", () => real.renew(...args)),
      heartbeat: (...args) => pass("heartbeat", () => real.heartbeat(...args)),
      trigger: (...args) => pass("trigger", () => real.trigger(...args)),
      cancel: (...args) => pass("cancel", () => real.cancel(...args)),
      retry: (...args) => pass("retry", () => real.retry(...args)),
      remove: (...args) => pass("remove", () => real.remove(...args)),
      getChains: (...args) => pass("getChains", () => real.getChains(...args)),
      getJobs: (...args) => pass("getJobs", () => real.getJobs(...args)),
      listChains: (...args) => pass("listChains", () => real.listChains(...args)),
      listJobs: (...args) => pass("listJobs", () => real.listJobs(...args)),
      listDue: (...args) => pass("listDue", () => real.listDue(...args)),
      reach: (...args) => pass("reach", () => real.reach(...args)),
      listBlockers: (...args) => pass("listBlockers", () => real.listBlockers(...args)),
      countAhead: (...args) => pass("countAhead", () => real.countAhead(...args)),
      listWorkers: (...args) => pass("listWorkers", () => real.listWorkers(...args)),
      count: (...args) => pass("count", () => real.count(...args)),
      inspect: (...args) => pass("inspect", () => real.inspect(...args)),
      repair: (...args) => pass("repair", () => real.repair(...args)),
      maintain: (...args) => pass("maintain", () => real.maintain(...args)),
      storeId: (...args) => pass("storeId", () => real.storeId(...args)),
      migrate: (...args) => real.migrate(...args),
      close: () => real.close(),
    },
  };
}

/** Replies to all outcomes, of which those that are held were not sent. */
function withBusy(
  outcomes: readonly Outcome[],
  isHeld: (outcome: Outcome) => boolean,
  settled: readonly SettleReply[],
): readonly SettleReply[] {
  const replies = settled.values();
  return outcomes.map((outcome) => (isHeld(outcome) ? { status: "busy" } : present("a reply", replies.next().value)));
}

function takesNoWrites(): ChainwrightError {
  return new ChainwrightError("store-unavailable", "the case lets the store take no writes", {
    details: { reason: "read-only" },
  });
}

function lostRace(): ChainwrightError {
  return new ChainwrightError("transaction-conflict", "the case has let this call lose");
}
