import { ChainwrightError } from "../model/error.ts";
import { lostError } from "../model/lost-error.ts";
import type { Fence } from "../model/outcome.ts";
import type { TransactionOptions } from "../ports/call.ts";
import { lostReason } from "../rules/settle.ts";
import { undo } from "./journal.ts";
import type { InProcessRows } from "./rows.ts";
import { sameReply } from "./same-reply.ts";
import type { Store, Undo } from "./store.ts";

/** The handle of a transaction: passed on as `tx`, nothing else. */
export interface InProcessTransaction {
  readonly store: "in-process";
}

/**
 * Transactions that neither see nor wait for each other, on a store that does not know about them.
 *
 * At most one transaction's writes are applied to the store. Before any other call they are undone: the transaction is parked.
 * At its next call its earlier calls are replayed. If a replayed call returns a different result, the transaction conflicts with
 * another one and fails. Without other calls in between, a transaction runs everything once.
 */
export interface Transactions {
  readonly rows: InProcessRows;
  readonly store: Store;
  readonly open: Map<InProcessTransaction, Transaction>;
  applied: Transaction | undefined;
}

interface Transaction {
  readonly calls: Call[];
  readonly journal: Undo[];
  lost: boolean;
}

interface Call {
  readonly run: () => unknown;
  /** What the call returned. */
  readonly reply: unknown;
}

export function createTransactions(rows: InProcessRows): Transactions {
  return { rows, store: rows.store, open: new Map(), applied: undefined };
}

/** Runs a call that writes: by itself, or in a transaction. */
export function write<R>(transactions: Transactions, tx: InProcessTransaction | undefined, run: () => R): R {
  const transaction = enter(transactions, tx);
  const reply = run();
  transaction?.calls.push({ run, reply });
  return reply;
}

/** Runs a call that only reads, seeing what its transaction wrote. */
export function read<R>(transactions: Transactions, tx: InProcessTransaction | undefined, run: () => R): R {
  enter(transactions, tx);
  return run();
}

/** Commits when `run` resolves, rolls back when it rejects. */
export async function transact<T>(
  transactions: Transactions,
  run: (tx: InProcessTransaction) => Promise<T>,
  { holding }: TransactionOptions = {},
): Promise<T> {
  const tx: InProcessTransaction = Object.freeze({ store: "in-process" });
  const transaction: Transaction = { calls: [], journal: [], lost: false };
  transactions.open.set(tx, transaction);
  try {
    const result = await run(tx);
    enter(transactions, tx);
    if (holding !== undefined) hold(transactions.rows, holding);
    transactions.store.journal = undefined;
    transactions.applied = undefined;
    return result;
  } finally {
    transactions.open.delete(tx);
    if (transactions.applied === transaction) park(transactions, transaction);
  }
}

/** Throws unless a fence holds. */
function hold(rows: InProcessRows, fence: Fence): void {
  if (rows.leasedJob(fence) === undefined) throw lostError(lostReason(rows, fence.jobId, 0), { id: fence.jobId });
}

/** Brings the store to the state that the caller may see. */
function enter(transactions: Transactions, tx: InProcessTransaction | undefined): Transaction | undefined {
  const { applied } = transactions;
  if (tx === undefined) {
    if (applied !== undefined) park(transactions, applied);
    return undefined;
  }
  const transaction = transactions.open.get(tx);
  if (transaction === undefined) {
    throw new ChainwrightError("closed", "the transaction has ended, or is not one of this state adapter's");
  }
  if (transaction.lost) throw conflict();
  if (applied === transaction) return transaction;
  if (applied !== undefined) park(transactions, applied);
  apply(transactions, transaction);
  return transaction;
}

function park(transactions: Transactions, { journal }: Transaction): void {
  const { store } = transactions;
  store.journal = undefined;
  transactions.applied = undefined;
  undo(store, journal);
}

function apply(transactions: Transactions, transaction: Transaction): void {
  transactions.applied = transaction;
  transactions.store.journal = transaction.journal;
  for (const { run, reply } of transaction.calls) {
    if (sameReply(run(), reply)) continue;
    transaction.lost = true;
    park(transactions, transaction);
    throw conflict();
  }
}

function conflict(): ChainwrightError {
  return new ChainwrightError(
    "transaction-conflict",
    "another transaction changed data that this one has read; retry the transaction",
  );
}
