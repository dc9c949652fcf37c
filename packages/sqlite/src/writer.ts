import { AsyncLocalStorage, AsyncResource } from "node:async_hooks";
import { rollBack, reportLongCallback } from "./long-callback.ts";
import { createLimit, lend } from "@chainwright/sql-transactions";
import { ChainwrightError } from "chainwright";
import type { SqliteDatabase } from "./driver.ts";
import { closedError, isBusy, lockedError, translate } from "./errors.ts";

/**
 * The one connection that writes, and the queue of the calls that wait for it.
 *
 * SQLite has one writer, and a commit costs a write to the disk whatever its size. So the calls that wait share a commit: the
 * first of a group begins the transaction, each further one runs in a savepoint of its own, one after the other, and all resolve
 * after the one commit. One that fails is rolled back to its savepoint and rejects; the others are not affected. If the commit
 * fails, all reject, and nothing was acknowledged. A call that is alone has no savepoint.
 *
 * A group ends when no call waits or when it has been open for `groupMs`. A callback that is slow (one that waits for
 * something other than the database) keeps the writer for as long as it runs: later calls wait for that, in every process, and
 * so do the few earlier ones of its group. After a slow one, groups are committed before the next
 * callback begins, so that only the first of a row of slow callbacks is waited for by others' commits. A callback may
 * take `transactionTimeoutMs`; then it is rolled back and its `tx` is closed. A call without `tx` inside a callback would
 * wait for its own caller, and is refused.
 */
export interface Writer<Tx extends object> {
  /** Runs synchronous work in a transaction, its own or a shared one. */
  run<T>(work: () => T): Promise<T>;
  transaction<T>(callback: (tx: Tx) => Promise<T>): Promise<T>;
  /** The transaction that is a given `tx`; undefined: it is none of this writer's. */
  lent(tx: Tx): LentTransaction | undefined;
  /** Whether a group is open now: what the connection reads is not committed. */
  readonly isOpen: boolean;
  /** Whether the caller is inside the callback of a transaction that is still open. */
  isInside(): boolean;
  /** Resolves when all who wait have been served; later callers are refused. */
  close(): Promise<void>;
}

export interface LentTransaction {
  /** Runs work inside it; what the store throws makes it roll back at its end. */
  run<T>(work: () => T): T;
}

export interface WriterOptions {
  /** How long a group may be open before it is committed although others wait. */
  readonly groupMs: number;
  /** How long a callback may keep the writer before it is rolled back. */
  readonly transactionTimeoutMs: number;
  /** How long to try for the write lock that another process holds. */
  readonly busyTimeoutMs: number;
  /**
   * Called inside a transaction after a callback has kept the writer for long, from a moment of the system's clock on: no one
   * could write meanwhile, and no one can before this is committed.
   */
  readonly afterLong?: (since: number, forMs: number) => void;
}

/** A call that waits for the writer: with work to be done at once, or with a callback to be awaited. */
interface Member<Tx> {
  readonly work: Work<Tx>;
  readonly reject: (error: unknown) => void;
  readonly since: number;
}

/** Both return a function that resolves the call, to be called once the work is committed. */
type Work<Tx> = { readonly kind: "call"; readonly run: () => Resolve } | Callback<Tx>;

interface Callback<Tx> {
  readonly kind: "callback";
  readonly run: (tx: Tx) => Promise<Resolve>;
  /**
   * The async context of the caller: the callback runs in it, not in that of the first caller of the group. A resource and no
   * snapshot, which costs 5 us and more.
   */
  readonly caller: AsyncResource;
}

type Resolve = () => void;

/** After this time without a turn of the event loop, it is given one. */
const mostBusyMs = 10;

/** How the work of one member came out. */
type Result = { readonly ok: true; readonly resolve: Resolve } | { readonly ok: false; readonly error: unknown };

/** A member whose work is done and not yet committed. */
interface Served {
  readonly resolve: Resolve;
  readonly reject: (error: unknown) => void;
}

export function createWriter<Tx extends object>(database: SqliteDatabase<Tx>, options: WriterOptions): Writer<Tx> {
  const line = createLine(database, options);
  const join = (work: Work<Tx>, reject: (error: unknown) => void): void => {
    const refusal = refusalOf(line);
    if (refusal !== undefined) {
      reject(refusal);
      return;
    }
    line.waiting.push({ work, reject, since: performance.now() });
    if (line.serving) return;
    line.serving = true;
    // Callers of the same moment come into the same group.
    if (mustYield(line)) void turn(line).then(() => serve(line));
    else queueMicrotask(() => void serve(line));
  };

  return {
    run: <T>(work: () => T) =>
      new Promise<T>((resolve, reject) => {
        const run = () => {
          const value = work();
          return () => resolve(value);
        };
        join({ kind: "call", run }, reject);
      }),
    transaction: <T>(callback: (tx: Tx) => Promise<T>) =>
      new Promise<T>((resolve, reject) => {
        const run = async (tx: Tx) => {
          const value = await callback(tx);
          return () => resolve(value);
        };
        join({ kind: "callback", run, caller: new AsyncResource("chainwright.transaction") }, reject);
      }),
    lent: (tx) => line.transactions.get(tx),
    get isOpen() {
      return line.open;
    },
    isInside: () => isInside(line),
    close: () => {
      line.closed = true;
      return new Promise((resolve) => {
        if (line.serving) line.whenIdle.push(resolve);
        else resolve();
      });
    },
  };
}

function refusalOf<Tx extends object>(line: Line<Tx>): ChainwrightError | undefined {
  if (line.closed) return closedError("this state adapter");
  if (!isInside(line)) return undefined;
  return new ChainwrightError(
    "invalid-input",
    "a call made inside a transaction's callback waits for that transaction to end, for SQLite has one writer: pass the callback's `tx` to it",
  );
}

function isInside<Tx extends object>(line: Line<Tx>): boolean {
  return line.callers.getStore()?.open === true;
}

function createLine<Tx extends object>(database: SqliteDatabase<Tx>, options: WriterOptions) {
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
    /** The transaction inside whose callback a call is made: waiting for the writer there would never end. */
    callers: new AsyncLocalStorage<{ open: boolean }>(),
    waiting,
    whenIdle,
    serving: false,
    /** When the event loop last had its turn for certain. */
    lastTurnAt: 0,
    closed: false,
    open: false,
    /** How long the last callback kept the writer. */
    lastCallbackMs: 0,
    begin: statement("begin immediate"),
    commit: statement("commit"),
    rollback: statement("rollback"),
    savepoint: statement("savepoint chainwright_member"),
    release: statement("release chainwright_member"),
    rollbackMember: statement("rollback to chainwright_member"),
  };
}

type Line<Tx extends object> = ReturnType<typeof createLine<Tx>>;

/** Serves group after group until no call waits. Never rejects: the members do. */
async function serve<Tx extends object>(line: Line<Tx>): Promise<void> {
  for (let tries = 0; line.waiting.length > 0;) {
    const begun = begin(line);
    if (begun === "busy") {
      tries += 1;
      rejectTooLate(line);
      await pause(tries);
      continue;
    }
    tries = 0;
    if (begun === "failed") continue;
    line.open = true;
    await serveGroup(line);
    line.open = false;
    // Callers that call again at once keep it from being idle.
    if (mustYield(line)) await turn(line);
  }
  line.serving = false;
  for (const resolve of line.whenIdle.splice(0)) resolve();
}

/** SQLite returns at once, so callers that only ever wait for it would keep timers and input from running. */
function mustYield<Tx extends object>(line: Line<Tx>): boolean {
  return performance.now() - line.lastTurnAt > mostBusyMs;
}

async function turn<Tx extends object>(line: Line<Tx>): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  line.lastTurnAt = performance.now();
}

function begin<Tx extends object>(line: Line<Tx>): "begun" | "busy" | "failed" {
  // The application has a transaction of its own open on the handle that it gave.
  if (line.database.inTransaction) return "busy";
  try {
    line.begin();
    return "begun";
  } catch (error) {
    if (isBusy(error)) return "busy";
    const translated = translate(error);
    for (const member of line.waiting.splice(0)) member.reject(translated);
    return "failed";
  }
}

function rejectTooLate<Tx extends object>(line: Line<Tx>): void {
  const { busyTimeoutMs } = line.options;
  const latest = performance.now() - busyTimeoutMs;
  while (line.waiting[0] !== undefined && line.waiting[0].since < latest) {
    line.waiting.shift()?.reject(lockedError(busyTimeoutMs));
  }
}

/** Short at first, because most transactions are; random, so that processes do not keep step. */
function pause(tries: number): Promise<void> {
  const atMostMs = Math.min(10, 1 + tries);
  return new Promise((resolve) => setTimeout(resolve, 1 + Math.random() * (atMostMs - 1)));
}

async function serveGroup<Tx extends object>(line: Line<Tx>): Promise<void> {
  const served: Served[] = [];
  let current: Member<Tx> | undefined;
  try {
    const openedAt = performance.now();
    for (let next = line.waiting[0]; next !== undefined; next = line.waiting[0]) {
      const isFirst = current === undefined;
      if (!isFirst && mustCommitBefore(line, next, openedAt)) break;
      current = next;
      line.waiting.shift();
      const { work } = current;
      if (!isFirst) line.savepoint();
      const since = Date.now();
      const result = work.kind === "call" ? call(work.run) : await callBack(line, work);
      const goesOn = conclude(line, current, { result, served, isFirst });
      if (work.kind === "callback") reportLongCallback(line, since);
      if (!goesOn) return;
    }
    await commit(line, served);
  } catch (error) {
    // A statement of the writer's own failed, for example a savepoint: nothing of the group is committed. Rejecting a member
    // twice does no harm.
    rollBack(line);
    rejectAll(current === undefined ? served : [...served, current], { ok: false, error });
  }
}

/** Ends the savepoint around one member's work. Returns whether the group goes on; if not, its members have been rejected. */
function conclude<Tx extends object>(
  line: Line<Tx>,
  member: Member<Tx>,
  { result, served, isFirst }: { readonly result: Result; readonly served: Served[]; readonly isFirst: boolean },
): boolean {
  // Some failures (a full disk) end the whole transaction, and so does a callback that commits by itself.
  if (!line.database.inTransaction) {
    rejectAll([...served, member], result);
    return false;
  }
  if (result.ok) served.push({ resolve: result.resolve, reject: member.reject });
  else member.reject(result.error);
  if (isFirst && !result.ok) {
    line.rollback();
    return false;
  }
  if (!isFirst) {
    if (!result.ok) line.rollbackMember();
    line.release();
  }
  return true;
}

function mustCommitBefore<Tx extends object>(line: Line<Tx>, next: Member<Tx>, openedAt: number): boolean {
  const { groupMs } = line.options;
  if (next.work.kind === "callback" && line.lastCallbackMs > groupMs) return true;
  return performance.now() - openedAt > groupMs;
}

function call(run: () => Resolve): Result {
  try {
    return { ok: true, resolve: run() };
  } catch (error) {
    return { ok: false, error: translate(error) };
  }
}

async function callBack<Tx extends object>(line: Line<Tx>, { run, caller }: Callback<Tx>): Promise<Result> {
  const beganAt = performance.now();
  const { tx, revoke } = lend(line.database.handle);
  const inside = { open: true };
  let broken: Result | undefined;
  line.transactions.set(tx, {
    run: (work) => {
      try {
        return work();
      } catch (error) {
        // Part of it may be written: the rest of the transaction must not be committed, even if the callback catches this.
        broken ??= { ok: false, error };
        throw error;
      }
    },
  });
  const limit = createLimit(line.options.transactionTimeoutMs, "no one else can write meanwhile");
  try {
    const resolve = await Promise.race([caller.runInAsyncScope(() => line.callers.run(inside, run, tx)), limit.passed]);
    return broken ?? { ok: true, resolve };
  } catch (error) {
    return { ok: false, error };
  } finally {
    limit.clear();
    inside.open = false;
    revoke();
    line.transactions.set(tx, ended);
    line.lastCallbackMs = performance.now() - beganAt;
  }
}

const ended: LentTransaction = {
  run: () => {
    throw closedError("this transaction");
  },
};

async function commit<Tx extends object>(line: Line<Tx>, served: readonly Served[]): Promise<void> {
  const startedAt = performance.now();
  for (let tries = 1; ; tries += 1) {
    try {
      line.commit();
      break;
    } catch (error) {
      // Without a write-ahead log, a commit waits for the readers.
      if (isBusy(error) && performance.now() - startedAt < line.options.busyTimeoutMs) {
        await pause(tries);
        continue;
      }
      if (line.database.inTransaction) line.rollback();
      const translated = translate(error);
      for (const { reject } of served) reject(translated);
      return;
    }
  }
  for (const { resolve } of served) resolve();
}

/** For a transaction that has ended with all that was done in it; none of the calls has resolved yet. */
function rejectAll(members: readonly Pick<Served, "reject">[], result: Result): void {
  const error = result.ok
    ? new ChainwrightError(
        "closed",
        "a callback ended the transaction that it was given: leave commit and rollback to its end",
      )
    : translate(result.error);
  for (const member of members) member.reject(error);
}
