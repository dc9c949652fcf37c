import { AsyncResource } from "node:async_hooks";
import { ChainwrightError } from "chainwright";
import type { SqliteDatabase } from "./driver.ts";
import { closedError, isBusy, lockedError, translate } from "./errors.ts";
import { pause } from "./pause.ts";
import { serveGroup } from "./writer-group.ts";
import {
  createLine,
  isInside,
  type LentTransaction,
  type Line,
  type Member,
  type Work,
  type WriterOptions,
} from "./writer-line.ts";

/**
 * The one connection that writes, and the queue of the calls that wait for it.
 *
 * SQLite has one writer, and a commit costs a write to the disk of any size. So waiting calls share a commit: the first call of
 * a group begins the transaction, each further one runs in its own savepoint, one after the other, and all resolve after the
 * commit. One that fails is rolled back to its savepoint and rejects; the others are not affected. If the commit
 * fails, all reject, and nothing was acknowledged. A call that is alone has no savepoint.
 *
 * A group ends when no call waits or when it has been open for `groupMs`. A callback that is slow (one that waits for
 * something other than the database) holds the writer while it runs: later calls in every process wait for it, and so do the few
 * earlier ones of its group. After a slow callback, a group is committed before the next callback begins, so that the commits
 * of other calls wait only for the first of several slow callbacks. A callback may
 * take `transactionTimeoutMs`; then it is rolled back and its `tx` is closed. A call without `tx` inside a callback would
 * wait for its own caller, and is refused.
 */
export interface Writer<Tx extends object> {
  /** Runs synchronous work in a transaction, its own or a shared one. */
  run<T>(work: () => T): Promise<T>;
  /**
   * The same for work that a loss of power may take back: its commit does not wait for the disk. Returns undefined, and does not
   * run it, if a callback or another connection still holds the writer after `waitMs`.
   */
  tryVolatile<T>(work: () => T, waitMs: number): Promise<T | undefined>;
  transaction<T>(callback: (tx: Tx) => Promise<T>): Promise<T>;
  /** The transaction that a given `tx` is; undefined if it is not one of this writer. */
  lent(tx: Tx): LentTransaction | undefined;
  /** Whether a group is open now, so that the connection may read uncommitted rows. */
  readonly isOpen: boolean;
  /** Whether the caller is inside the callback of a transaction that is still open. */
  isInside(): boolean;
  /** Resolves when all waiting calls have run; later calls are refused. */
  close(): Promise<void>;
}

/**
 * After this time without a turn of the event loop, it is given one: so each commit that waits for a slow disk has a turn of its
 * own. With a sync of 4 ms and 50 callers, the loop was blocked for 14 ms (median) where this was 10, and is for 4.6. On a
 * fast disk it costs nothing that could be measured (instructions per start within 1 %).
 */
const mostBusyMs = 2;

export function createWriter<Tx extends object>(database: SqliteDatabase<Tx>, options: WriterOptions): Writer<Tx> {
  const line = createLine(database, options);
  const enqueue = (member: Member<Tx>): void => {
    line.waiting.push(member);
    if (line.serving) return;
    line.serving = true;
    // Calls made at the same time are in the same group.
    if (mustYield(line)) void turn(line).then(() => serve(line));
    else queueMicrotask(() => void serve(line));
  };
  const join = (work: Work<Tx>, reject: (error: unknown) => void): void => {
    const refusal = refusalOf(line);
    if (refusal !== undefined) reject(refusal);
    else enqueue({ work, reject, since: performance.now(), isVolatile: false });
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
    tryVolatile: (work, waitMs) => tryVolatile(line, enqueue, { work, waitMs }),
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
    "a call made inside a transaction's callback waits for that transaction to end, because SQLite has one writer: pass the callback's `tx` to it",
  );
}

function tryVolatile<Tx extends object, T>(
  line: Line<Tx>,
  enqueue: (member: Member<Tx>) => void,
  { work, waitMs }: { readonly work: () => T; readonly waitMs: number },
): Promise<T | undefined> {
  if (line.closed) return Promise.reject(closedError("this state adapter"));
  // It would wait for its own caller.
  if (isInside(line)) return Promise.resolve(undefined);
  return new Promise((resolve, reject) => {
    const run = () => {
      clearTimeout(tooLate);
      const value = work();
      return () => resolve(value);
    };
    const member: Member<Tx> = {
      work: { kind: "call", run },
      reject: (error) => {
        clearTimeout(tooLate);
        reject(error);
      },
      since: performance.now(),
      isVolatile: true,
    };
    const tooLate = setTimeout(() => {
      // Not held: its turn comes as soon as this process has time.
      if (!line.isHeld) {
        tooLate.refresh();
        return;
      }
      const at = line.waiting.indexOf(member);
      if (at >= 0) line.waiting.splice(at, 1);
      resolve(undefined);
    }, waitMs);
    enqueue(member);
  });
}

/** Runs group after group until no call waits. Never rejects; the members do. */
async function serve<Tx extends object>(line: Line<Tx>): Promise<void> {
  for (let tries = 0; line.waiting.length > 0;) {
    const begun = begin(line);
    line.isHeld = begun === "busy";
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
    // It is never idle if callers call again at once.
    if (mustYield(line)) await turn(line);
  }
  line.serving = false;
  line.isHeld = false;
  for (const resolve of line.whenIdle.splice(0)) resolve();
}

/** SQLite returns synchronously, so callers that wait only for it would prevent timers and input from running. */
function mustYield<Tx extends object>(line: Line<Tx>): boolean {
  return performance.now() - line.lastTurnAt > mostBusyMs;
}

async function turn<Tx extends object>(line: Line<Tx>): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  line.lastTurnAt = performance.now();
}

function begin<Tx extends object>(line: Line<Tx>): "begun" | "busy" | "failed" {
  // The application has an open transaction on the handle that it passed.
  if (line.database.inTransaction) return "busy";
  try {
    setDurable(line);
    line.begin();
    return "begun";
  } catch (error) {
    if (isBusy(error)) return "busy";
    const translated = translate(error);
    for (const member of line.waiting.splice(0)) member.reject(translated);
    return "failed";
  }
}

/** Whether the next group waits for the disk: unless all calls that wait are volatile. */
function setDurable<Tx extends object>(line: Line<Tx>): void {
  const isDurable = !line.waiting.every(({ isVolatile }) => isVolatile);
  if (isDurable === line.isDurable || line.options.setDurable === undefined) return;
  line.options.setDurable(isDurable);
  line.isDurable = isDurable;
}

function rejectTooLate<Tx extends object>(line: Line<Tx>): void {
  const { busyTimeoutMs } = line.options;
  const latest = performance.now() - busyTimeoutMs;
  while (line.waiting[0] !== undefined && line.waiting[0].since < latest) {
    line.waiting.shift()?.reject(lockedError(busyTimeoutMs));
  }
}
