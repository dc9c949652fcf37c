import { ChainwrightError } from "chainwright";
import type { StateAdapter } from "chainwright/adapter";
import type { Gate } from "./gate.ts";

export type Method = Exclude<
  keyof StateAdapter,
  | "isConflict"
  | "insideTransaction"
  | "transactionOf"
  | "connections"
  | "takesRealTime"
  | "lockHolders"
  | "close"
  | "migrate"
>;

/** What happens to a start whose reply is lost. */
export type StartFate = "written" | "not-written";

/** The faults that a case has switched on, and what was counted. */
export interface StoreFaults {
  isAway: boolean;
  isReadOnly: boolean;
  hangs: boolean;
  isDead: boolean;
  /** Outcomes with this text are `busy`. */
  heldText: string | undefined;
  /** Calls with this text reject. */
  poison: string | undefined;
  /** Replies of exchanges wait for it. */
  detained: PromiseWithResolvers<void> | undefined;
  /** Transactions wait for it before they are opened. */
  transactionGate: Gate | undefined;
  /** How many calls of each method still lose a race. */
  readonly races: Map<Method, number>;
  readonly startFates: StartFate[];
  readonly calls: Map<Method, number>;
  openedTransactions: number;
  openTransactions: number;
}

export function createStoreFaults(): StoreFaults {
  return {
    isAway: false,
    isReadOnly: false,
    hangs: false,
    isDead: false,
    heldText: undefined,
    poison: undefined,
    detained: undefined,
    transactionGate: undefined,
    races: new Map(),
    startFates: [],
    calls: new Map(),
    openedTransactions: 0,
    openTransactions: 0,
  };
}

/** Counts a call, and resolves when it may continue to the store: to whether it loses a race there. */
export async function reachStore(faults: StoreFaults, method: Method): Promise<"fine" | "lost-race"> {
  faults.calls.set(method, (faults.calls.get(method) ?? 0) + 1);
  if (faults.isDead || faults.hangs) return await neverReturns();
  if (faults.isAway) throw new ChainwrightError("store-unavailable", "the case has put the store out of reach");
  if (faults.isReadOnly) throw takesNoWrites();
  const left = faults.races.get(method) ?? 0;
  if (left === 0) return "fine";
  faults.races.set(method, left - 1);
  return "lost-race";
}

export function neverReturns(): Promise<never> {
  return new Promise(() => {});
}

export function lostRace(): ChainwrightError {
  return new ChainwrightError("transaction-conflict", "the case has let this call lose");
}

function takesNoWrites(): ChainwrightError {
  return new ChainwrightError("store-unavailable", "the case lets the store take no writes", {
    details: { reason: "read-only" },
  });
}
