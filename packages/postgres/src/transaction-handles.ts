import { endedTransaction } from "./errors.ts";

/** What the adapter knows about transactions, by their handles. */
export interface TransactionHandles {
  /** Called when the adapter has opened a transaction. */
  begin(tx: unknown): void;
  end(tx: unknown): void;
  /** Throws `closed` for a transaction of the adapter that has ended. */
  check(tx: unknown): void;
  /** Whether the application opened it. Then only the server knows whether it is still open. */
  isGiven(tx: unknown): boolean;
  /** Notes the server's id of a transaction that the application opened. */
  note(tx: unknown, id: string): void;
  idOf(tx: unknown): string | undefined;
}

export function createTransactionHandles(): TransactionHandles {
  const own = new WeakMap<object, "open" | "ended">();
  const ids = new WeakMap<object, string>();
  const stateOf = (tx: unknown) => (isObject(tx) ? own.get(tx) : undefined);
  return {
    // A library may use a handle again for its next transaction.
    begin: (tx) => {
      if (isObject(tx)) own.set(tx, "open");
    },
    end: (tx) => {
      if (isObject(tx)) own.set(tx, "ended");
    },
    check: (tx) => {
      if (stateOf(tx) === "ended") throw endedTransaction();
    },
    isGiven: (tx) => stateOf(tx) === undefined,
    note: (tx, id) => {
      if (isObject(tx)) ids.set(tx, id);
    },
    idOf: (tx) => (isObject(tx) ? ids.get(tx) : undefined),
  };
}

function isObject(tx: unknown): tx is object {
  return (typeof tx === "object" && tx !== null) || typeof tx === "function";
}
