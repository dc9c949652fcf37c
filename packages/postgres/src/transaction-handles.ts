import { endedTransaction } from "./errors.ts";

/** What is known of transactions, by their handles. */
export interface Handles {
  /** A transaction of the adapter's own has begun. */
  begin(tx: unknown): void;
  end(tx: unknown): void;
  /** Throws `closed` for the handle of an own transaction that has ended. */
  check(tx: unknown): void;
  /** Whether the application began it: then only the server knows whether it is still open. */
  isGiven(tx: unknown): boolean;
  /** The server's id of the transaction that a given handle was used in. */
  note(tx: unknown, id: string): void;
  idOf(tx: unknown): string | undefined;
}

export function createHandles(): Handles {
  const own = new WeakMap<object, "open" | "ended">();
  const ids = new WeakMap<object, string>();
  const stateOf = (tx: unknown) => (isObject(tx) ? own.get(tx) : undefined);
  return {
    // A library that uses a handle again, for the next transaction, has it open again.
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
