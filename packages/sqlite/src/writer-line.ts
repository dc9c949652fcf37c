import { AsyncLocalStorage, type AsyncResource } from "node:async_hooks";
import type { SqliteDatabase } from "./driver.ts";

export interface LentTransaction {
  /** Runs work inside it; an error of the store makes it roll back at its end. */
  run<T>(work: () => T): T;
}

export interface WriterOptions {
  /** How long a group may be open before it is committed even if more calls wait. */
  readonly groupMs: number;
  /** How long a callback may hold the writer before it is rolled back. */
  readonly transactionTimeoutMs: number;
  /** How long to try for the write lock that another process holds. */
  readonly busyTimeoutMs: number;
  /**
   * Called inside a transaction after a callback has held the writer for long, with the time since which no one else could write.
   * No one can write before this is committed.
   */
  readonly afterLong?: (since: number, forMs: number) => void;
  /** Sets what the next commits wait for. Undefined: calls that may be lost are committed like the others. */
  readonly setDurable?: ((isDurable: boolean) => void) | undefined;
}

/** A call that waits for the writer, with synchronous work or with a callback to await. */
export interface Member<Tx> {
  readonly work: Work<Tx>;
  readonly reject: (error: unknown) => void;
  readonly since: number;
  /** Whether a loss of power may take its writes back: such calls do not wait for the disk. */
  readonly isVolatile: boolean;
}

/** Both return a function that resolves the call; it is called when the work is committed. */
export type Work<Tx> = { readonly kind: "call"; readonly run: () => Resolve } | Callback<Tx>;

export interface Callback<Tx> {
  readonly kind: "callback";
  readonly run: (tx: Tx) => Promise<Resolve>;
  /**
   * The async context of the caller: the callback runs in it, not in that of the first caller of the group. An async resource,
   * because a snapshot costs at least 5 us.
   */
  readonly caller: AsyncResource;
}

export type Resolve = () => void;

/** The calls that wait for a writer, its connection, and what it is doing. */
export type Line<Tx extends object> = ReturnType<typeof createLine<Tx>>;

export function createLine<Tx extends object>(database: SqliteDatabase<Tx>, options: WriterOptions) {
  const statement = (sql: string) => {
    let prepared: ReturnType<typeof database.prepare> | undefined;
    return () => void (prepared ??= database.prepare(sql)).run();
  };
  const waiting: Member<Tx>[] = [];
  const whenIdle: (() => void)[] = [];
  return {
    database,
    options,
    transactions: new WeakMap<Tx, LentTransaction>(),
    /** The transaction in whose callback a call is made: waiting for the writer there would never end. */
    callers: new AsyncLocalStorage<{ open: boolean }>(),
    waiting,
    whenIdle,
    serving: false,
    /** When the event loop last certainly had a turn. */
    lastTurnAt: 0,
    closed: false,
    open: false,
    /** Whether the writer waits for a callback, or for the lock that another connection holds. */
    isHeld: false,
    /** Whether commits wait for the disk as `durability` says. */
    isDurable: true,
    /** How long the last callback held the writer. */
    lastCallbackMs: 0,
    begin: statement("begin immediate"),
    commit: statement("commit"),
    rollback: statement("rollback"),
    savepoint: statement("savepoint chainwright_member"),
    release: statement("release chainwright_member"),
    rollbackMember: statement("rollback to chainwright_member"),
  };
}

export function isInside<Tx extends object>(line: Line<Tx>): boolean {
  return line.callers.getStore()?.open === true;
}
