import type { StateAdapter } from "chainwright/adapter";
import { createDisturbedAdapter } from "./disturbed-adapter.ts";
import { createGate } from "./gate.ts";
import { createStoreFaults } from "./store-faults.ts";
import type { Method, StartFate, StoreFaults } from "./store-faults.ts";

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
  loseStarts(fates: readonly StartFate[]): void;
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

export function createUnreliableState(real: StateAdapter): UnreliableState {
  const faults = createStoreFaults();
  return {
    ...createSwitches(faults),
    adapter: createDisturbedAdapter(real, faults),
    calls: faults.calls,
    isDead: () => faults.isDead,
    openedTransactions: () => faults.openedTransactions,
    openTransactions: () => faults.openTransactions,
  };
}

function createSwitches(faults: StoreFaults) {
  return {
    away(isAway) {
      faults.isAway = isAway;
    },
    readOnly(isReadOnly) {
      faults.isReadOnly = isReadOnly;
    },
    holdRowsOf(text) {
      faults.heldText = text;
    },
    detainReplies(isDetained) {
      faults.detained?.resolve();
      faults.detained = isDetained ? Promise.withResolvers() : undefined;
    },
    hang(hangs) {
      faults.hangs = hangs;
    },
    chokeOn(text) {
      faults.poison = text;
    },
    loseRaces(methods, times) {
      for (const method of methods) faults.races.set(method, times);
    },
    loseStarts(fates) {
      faults.startFates.push(...fates);
    },
    kill() {
      faults.isDead = true;
    },
    holdTransactions(holds) {
      faults.transactionGate?.open();
      faults.transactionGate = holds ? createGate() : undefined;
    },
  } satisfies Partial<UnreliableState>;
}
