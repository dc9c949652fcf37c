import { ChainwrightError } from "chainwright";
import { lostError, rules, type CallOptions, type Fence, type TransactionOptions } from "chainwright/adapter";
import { readData, writeData, type Data } from "./data.ts";
import { leasedJob } from "./jobs.ts";
import type { Place } from "./place.ts";
import { createRows } from "./rows.ts";

/** A transaction is the writes that were made in it. */
export interface Transaction {
  readonly calls: { readonly run: (data: Data) => unknown; readonly reply: string }[];
  ended: boolean;
}

type Run<R> = (data: Data, now: number) => R;

export type Transactions = ReturnType<typeof createTransactions>;

/**
 * Runs calls on a place. A write alone reads the newest version and writes the next one; if another process was faster, it does so
 * again. A call in a transaction first repeats the earlier writes of the transaction on the newest version. If one of them now
 * has another reply, the transaction has lost a race. The commit repeats all of them once more, and writes the next version.
 */
export function createTransactions(place: Place, clock: () => number) {
  const versions = createVersions(place);

  /** The newest data as a transaction sees it. */
  const seenBy = (tx: Transaction | undefined): Data => {
    const { data } = versions.newest();
    if (tx === undefined) return data;
    assertOpen(tx);
    repeat(tx, data);
    return data;
  };

  const read = <R>(run: Run<R>, { tx, now = clock() }: CallOptions<Transaction>): R => run(seenBy(tx), now);

  const write = <R>(run: Run<R>, { tx, now = clock() }: CallOptions<Transaction>): R => {
    const change = (data: Data) => run(data, now);
    if (tx === undefined) return versions.commit(change);
    const reply = change(seenBy(tx));
    tx.calls.push({ run: change, reply: textOf(reply) });
    return reply;
  };

  const transaction = async <T>(
    run: (tx: Transaction) => Promise<T>,
    { holding }: TransactionOptions = {},
  ): Promise<T> => {
    versions.newest();
    const tx: Transaction = { calls: [], ended: false };
    try {
      const value = await run(tx);
      versions.commit((data) => {
        repeat(tx, data);
        if (holding !== undefined) hold(data, holding);
      });
      return value;
    } finally {
      tx.ended = true;
    }
  };

  return { read, write, transaction, migrate: () => versions.commit(() => undefined), close: versions.close };
}

function createVersions(place: Place) {
  let isClosed = false;
  const newest = () => {
    if (isClosed) throw new ChainwrightError("closed", "the state adapter has been closed");
    const { version, text } = place.read();
    return { version, text, data: readData(text) };
  };
  return {
    newest,
    /** Applies a change to the newest version, again if another process has written the next one meanwhile. */
    commit<R>(change: (data: Data) => R): R {
      for (;;) {
        const { version, text, data } = newest();
        const reply = change(data);
        const changed = writeData(data);
        if (changed === text || place.write(version + 1, changed)) return reply;
      }
    },
    close: () => {
      isClosed = true;
    },
  };
}

function repeat({ calls }: Transaction, data: Data): void {
  for (const { run, reply } of calls) {
    if (textOf(run(data)) === reply) continue;
    throw new ChainwrightError("transaction-conflict", "another transaction changed data that this one has read");
  }
}

/** Throws unless an attempt still holds its job. */
function hold(data: Data, fence: Fence): void {
  if (leasedJob(data, fence) !== undefined) return;
  throw lostError(rules.lostReason(createRows(data), fence.jobId, 0), { id: fence.jobId });
}

function assertOpen(tx: Transaction): void {
  if (tx.ended) throw new ChainwrightError("closed", "the transaction has ended");
}

/** Replies are plain data. */
function textOf(reply: unknown): string {
  return JSON.stringify(reply) ?? "";
}
