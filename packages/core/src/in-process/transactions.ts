import { ChainwrightError } from "../model/error.ts";
import { lostError } from "../model/lost-error.ts";
import type { Fence } from "../model/outcome.ts";
import type { TransactionOptions } from "../ports/call.ts";
import { lostReason } from "../rules/settle.ts";
import { clearChanges, createChanges, hasChanges, type Changes } from "./changes.ts";
import type { CommitLog } from "./commit-log.ts";
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
  readonly log: CommitLog | undefined;
  applied: Transaction | undefined;
}

interface Transaction {
  readonly calls: Call[];
  readonly journal: Undo[];
  /** Undefined: the store has no log. */
  readonly changes: Changes | undefined;
  lost: boolean;
}

interface Call {
  readonly run: () => unknown;
  /** What the call returned. */
  readonly reply: unknown;
}

export function createTransactions(rows: InProcessRows, log?: CommitLog): Transactions {
  return { rows, store: rows.store, open: new Map(), log, applied: undefined };
}

/** Runs a call that writes: by itself, or in a transaction. */
export function write<R>(transactions: Transactions, tx: InProcessTransaction | undefined, run: () => R): R {
  const transaction = enter(transactions, tx);
  const reply = run();
  transaction?.calls.push({ run, reply });
  return reply;
}

/** The same on a store with a log: a call by itself is a commit, also one that throws. */
export function writeLogged<R>(transactions: Transactions, tx: InProcessTransaction | undefined, run: () => R): R {
  return tx === undefined ? commit(transactions, run) : write(transactions, tx, run);
}

/** The same: reads make jobs ready whose time has come. */
export function readLogged<R>(transactions: Transactions, tx: InProcessTransaction | undefined, run: () => R): R {
  return tx === undefined ? commit(transactions, run) : read(transactions, tx, run);
}

function commit<R>(transactions: Transactions, run: () => R): R {
  enter(transactions, undefined);
  const { store } = transactions;
  const changes = createChanges();
  store.changes = changes;
  try {
    return run();
  } finally {
    store.changes = undefined;
    if (hasChanges(changes)) transactions.log?.commit(changes);
  }
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
  const changes = transactions.log && createChanges();
  const transaction: Transaction = { calls: [], journal: [], changes, lost: false };
  transactions.open.set(tx, transaction);
  try {
    const result = await run(tx);
    enter(transactions, tx);
    if (holding !== undefined) hold(transactions.rows, holding);
    setApplied(transactions, undefined);
    if (changes !== undefined && hasChanges(changes)) transactions.log?.commit(changes);
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
    parkApplied(transactions);
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

/** Undoes what the applied transaction has written, until its next call. */
export function parkApplied(transactions: Transactions): void {
  if (transactions.applied !== undefined) park(transactions, transactions.applied);
}

function park(transactions: Transactions, { journal, changes }: Transaction): void {
  setApplied(transactions, undefined);
  undo(transactions.store, journal);
  if (changes !== undefined) clearChanges(changes);
}

function setApplied(transactions: Transactions, transaction: Transaction | undefined): void {
  transactions.applied = transaction;
  transactions.store.journal = transaction?.journal;
  transactions.store.changes = transaction?.changes;
}

function apply(transactions: Transactions, transaction: Transaction): void {
  setApplied(transactions, transaction);
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
