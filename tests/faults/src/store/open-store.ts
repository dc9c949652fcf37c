import type { NotifyAdapter, StateAdapter } from "chainwright";

declare const transaction: unique symbol;

/** The handle of a transaction of any library; only the store that created it reads it. */
export interface FaultTx {
  readonly [transaction]: never;
}

/**
 * A write of a handler in a transaction: `ended` with the end of its step, `prepared` before its work,
 * `once` is what its callback writes, and `remembered` and `saved` are what a handler was told is on record. The others are
 * violations: `early` is a join that began before its blockers had ended, `shared` a key with two live chains, `late` a write of
 * an attempt that was over, `unfenced` a write in the prepare of a job that had ended.
 */
export interface Effect {
  readonly jobId: string;
  readonly chainId: string;
  readonly attempt: number;
  readonly kind: "ended" | "prepared" | "early" | "shared" | "late" | "unfenced" | "once" | "remembered" | "saved";
  /** The chain that the step started. */
  readonly spawned?: string | undefined;
  /** Of what is noted: its name in the job. */
  readonly name?: string | undefined;
  readonly value?: string | undefined;
}

/** A store under attack, opened by one process. */
export interface OpenStore {
  readonly stateAdapter: StateAdapter<FaultTx>;
  readonly notifyAdapter: NotifyAdapter | undefined;
  /** Writes an effect; no unique key prevents a second one. */
  readonly record: (tx: FaultTx, effect: Effect) => Promise<void>;
  /** How many of these chains have an effect of kind `ended`. */
  readonly endedAmong: (tx: FaultTx, chainIds: readonly string[]) => Promise<number>;
  /** Records that a live chain has a key; returns false if another one has it. */
  readonly claimKey: (tx: FaultTx, key: string) => Promise<boolean>;
  readonly freeKey: (tx: FaultTx, key: string) => Promise<void>;
  /** Whether a job exists and has not ended. */
  readonly isOpen: (tx: FaultTx, jobId: string) => Promise<boolean>;
  /** Opens a transaction as an application does, without the library; undefined if the library cannot use such a transaction. */
  readonly begin: (() => Promise<OwnTransaction>) | undefined;
  /** Connections of the pool in use; undefined without a pool that reports them. */
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
      /** The URL for notifications, if it is another one. */
      readonly listenUrl?: string | undefined;
      readonly schema: string;
      readonly poolSize: number;
      readonly library: "pg" | "postgres.js";
    }
  | { readonly kind: "sqlite"; readonly path: string; readonly library: "better-sqlite3" | "node:sqlite" };

export type SqlitePlace = StorePlace & { readonly kind: "sqlite" };

/** The queries of the oracle: the same SQL on every store, over the views that `prepareStore` created. */
export interface Examiner {
  /** The number in the first column of the first row. */
  readonly count: (sql: string) => Promise<number>;
  readonly rows: (sql: string) => Promise<readonly (readonly unknown[])[]>;
  /** Stores the replies that callers got, and the calls that they planned. */
  readonly say: (kind: string, chainIds: readonly string[]) => Promise<void>;
  /** Stores how often processes reported each event. */
  readonly recordReports: (reports: readonly EventReport[]) => Promise<void>;
  /** The sessions of the processes under attack; on SQLite, whether one is writing. */
  readonly sessions: () => Promise<readonly Session[]>;
  readonly close: () => Promise<void>;
}

/** How often an event was reported, by all processes and by those that were not attacked. */
export interface EventReport {
  readonly kind: string;
  /** The id of a job, or of a chain if the event is about a chain. */
  readonly id: string;
  readonly times: number;
  readonly calmTimes: number;
}

/** A connection of a process of the attack, as the server shows it. */
export interface Session {
  /** Its process, by the application name. */
  readonly owner: string;
  /** How long a transaction has been idle on it; undefined without an idle transaction. */
  readonly idleInTransactionMs: number | undefined;
}

/** What a foreign transaction blocks: the removal of deleted rows, writes to rows, or a whole table. */
export type Hold = "snapshot" | "rows" | "table";

/** Another user of the same database. */
export interface Bystander {
  /** Opens a transaction that holds this. */
  readonly hold: (what: Hold) => Promise<void>;
  /** Ends it with its connection. */
  readonly letGo: () => Promise<void>;
}
