import type { NotifyAdapter, StateAdapter } from "chainwright";

declare const transaction: unique symbol;

/** The handle of a transaction, whichever library's it is: only the store that gave it looks inside. */
export interface FaultTx {
  readonly [transaction]: never;
}

/**
 * One thing that a handler did in a transaction: `ended` with the end of its step, `prepared` before its work; `early` and
 * `shared` are what may not happen: a join that began before its blockers had ended, two live chains under one key.
 */
export interface Effect {
  readonly jobId: string;
  readonly chainId: string;
  readonly attempt: number;
  readonly kind: "ended" | "prepared" | "early" | "shared";
  /** The chain that the step started. */
  readonly spawned?: string | undefined;
}

/** A store under attack as one process has it open. */
export interface OpenStore {
  readonly stateAdapter: StateAdapter<FaultTx>;
  readonly notifyAdapter: NotifyAdapter | undefined;
  /** Writes an effect; no key stops a second one. */
  readonly record: (tx: FaultTx, effect: Effect) => Promise<void>;
  /** How many of these chains have an effect of kind `ended`. */
  readonly endedAmong: (tx: FaultTx, chainIds: readonly string[]) => Promise<number>;
  /** Notes that a chain lives under a key; false: another one does. */
  readonly claimKey: (tx: FaultTx, key: string) => Promise<boolean>;
  readonly freeKey: (tx: FaultTx, key: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** How a child process finds the store. */
export type StorePlace =
  | {
      readonly kind: "postgres";
      readonly url: string;
      /** Where notifications are heard, if not there. */
      readonly listenUrl?: string | undefined;
      readonly schema: string;
      readonly poolSize: number;
      readonly library: "pg" | "postgres.js";
    }
  | { readonly kind: "sqlite"; readonly path: string; readonly library: "better-sqlite3" | "node:sqlite" };

/** What the oracle asks: the same SQL on every store, over the views that `prepareStore` has made. */
export interface Examiner {
  /** The number in the first column of the first row. */
  readonly count: (sql: string) => Promise<number>;
  readonly rows: (sql: string) => Promise<readonly (readonly unknown[])[]>;
  /** Writes down what the starters have been told. */
  readonly say: (kind: "acknowledged" | "doomed", chainIds: readonly string[]) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** What a transaction of somebody else's keeps from the others: what has gone for good, rows to write, or a whole table. */
export type Hold = "snapshot" | "rows" | "table";

/** Somebody else on the same database. */
export interface Bystander {
  /** Opens a transaction that holds this. */
  readonly hold: (what: Hold) => Promise<void>;
  /** Ends it with its connection. */
  readonly letGo: () => Promise<void>;
}
