import type { NotifyAdapter, StateAdapter } from "chainwright";

declare const transaction: unique symbol;

/** The handle of a transaction of any library; only the store that created it reads it. */
export interface FaultTx {
  readonly [transaction]: never;
}

/**
 * One thing that a handler did in a transaction: `ended` with the end of its step, `prepared` before its work. The others may
 * not be found: `early` is a join that began before its blockers had ended, `shared` a key with two live chains, `late` what an
 * attempt wrote after it was over, `unfenced` what it prepared for a job that had ended.
 */
export interface Effect {
  readonly jobId: string;
  readonly chainId: string;
  readonly attempt: number;
  readonly kind: "ended" | "prepared" | "early" | "shared" | "late" | "unfenced";
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
  /** Whether a job is there and has not ended. */
  readonly isOpen: (tx: FaultTx, jobId: string) => Promise<boolean>;
  /** Opens a transaction as an application does by itself, without the library; undefined: the library has no way in. */
  readonly begin: (() => Promise<OwnTransaction>) | undefined;
  /** Connections of the pool that are handed out; undefined: there is no pool that says so. */
  readonly taken: () => number | undefined;
  readonly close: () => Promise<void>;
}

/** A transaction of the application's own. */
export interface OwnTransaction {
  readonly tx: FaultTx;
  readonly commit: () => Promise<void>;
  readonly rollback: () => Promise<void>;
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

export type SqlitePlace = StorePlace & { readonly kind: "sqlite" };

/** What the oracle asks: the same SQL on every store, over the views that `prepareStore` has made. */
export interface Examiner {
  /** The number in the first column of the first row. */
  readonly count: (sql: string) => Promise<number>;
  readonly rows: (sql: string) => Promise<readonly (readonly unknown[])[]>;
  /** Stores which replies callers got and what they were about to do. */
  readonly say: (kind: string, chainIds: readonly string[]) => Promise<void>;
  /** Writes down how often processes have reported what. */
  readonly recordReports: (reports: readonly EventReport[]) => Promise<void>;
  /** Sessions of the processes under attack; on SQLite, whether one is writing. */
  readonly sessions: () => Promise<readonly Session[]>;
  readonly close: () => Promise<void>;
}

/** How often an event was reported, by all processes and by those to which nothing happened. */
export interface EventReport {
  readonly kind: string;
  /** Of a job, or of a chain where the event is about the chain. */
  readonly id: string;
  readonly times: number;
  readonly calmTimes: number;
}

/** A connection of a process of the attack, as the server has it. */
export interface Session {
  /** The process that has it, by its application name. */
  readonly owner: string;
  /** How long a transaction has been idle on it; undefined: none is. */
  readonly idleInTransactionMs: number | undefined;
}

/** What a foreign transaction keeps from others: the removal of deleted rows, rows to write, or a whole table. */
export type Hold = "snapshot" | "rows" | "table";

/** Another user of the same database. */
export interface Bystander {
  /** Opens a transaction that holds this. */
  readonly hold: (what: Hold) => Promise<void>;
  /** Ends it with its connection. */
  readonly letGo: () => Promise<void>;
}
