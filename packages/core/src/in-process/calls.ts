import { ChainwrightError } from "../model/error.ts";
import type { Clock } from "../ports/clock.ts";
import type { CallOptions, TransactionOptions } from "../ports/call.ts";
import type { CommitLog } from "./commit-log.ts";
import { createRows } from "./rows.ts";
import type { InProcessRows } from "./rows.ts";
import { createStore } from "./store.ts";
import type { Store } from "./store.ts";
import { createTransactions, parkApplied, read, readLogged, transact, write, writeLogged } from "./transactions.ts";
import type { InProcessTransaction, Transactions } from "./transactions.ts";

/** `Access`: the store, or the rows of it on which the rules work. */
type Operation<Access, Q, R> = (access: Access, request: Q, now: number) => R;
type Method<Q, R> = (request: Q, options: CallOptions<InProcessTransaction>) => Promise<R>;

/** Turns operations into methods until it is closed: it adds the time, the transaction and the promise. */
export interface Calls {
  readonly opened: () => Transactions;
  readonly transaction: <T>(
    run: (tx: InProcessTransaction) => Promise<T>,
    options: TransactionOptions | undefined,
  ) => Promise<T>;
  readonly reads: <Q, R>(operation: Operation<Store, Q, R>) => Method<Q, R>;
  readonly writes: <Q, R>(operation: Operation<Store, Q, R>) => Method<Q, R>;
  /** Writes by the rules of chains. */
  readonly rules: <Q, R>(operation: Operation<InProcessRows, Q, R>) => Method<Q, R>;
  readonly close: () => Promise<void>;
}

export function createCalls(clock: Pick<Clock, "now"> | undefined): Calls {
  const { opened, close } = openUntilClosed(createTransactions(createRows(createStore())));

  function methodsBy<Access>(through: typeof read, accessOf: (transactions: Transactions) => Access) {
    return function methodOf<Q, R>(operation: Operation<Access, Q, R>): Method<Q, R> {
      return async (request, { tx, now = clock?.now() ?? Date.now() }) => {
        const all = opened();
        return through(all, tx, () => operation(accessOf(all), request, now));
      };
    };
  }

  return {
    opened,
    transaction: async (run, options) => transact(opened(), run, options),
    reads: methodsBy(read, ({ store }) => store),
    writes: methodsBy(write, ({ store }) => store),
    rules: methodsBy(write, ({ rows }) => rows),
    close: async () => {
      close();
    },
  };
}

/**
 * The same on a store with a log. What a call returns is in the log by then, also what it has only seen of others, so that nothing is
 * reported which a failure takes back. Within a transaction nothing waits: its end does.
 */
export function createLoggedCalls(
  clock: Pick<Clock, "now"> | undefined,
  { store, log }: { readonly store: Store; readonly log: CommitLog },
): Calls {
  const transactions = createTransactions(createRows(store), log);
  const { opened, close } = openUntilClosed(transactions, log);
  let closing: Promise<void> | undefined;

  function methodsBy<Access>(through: typeof read, accessOf: (transactions: Transactions) => Access) {
    return function methodOf<Q, R>(operation: Operation<Access, Q, R>): Method<Q, R> {
      return async (request, { tx, now = clock?.now() ?? Date.now() }) => {
        const all = opened();
        const reply = through(all, tx, () => operation(accessOf(all), request, now));
        if (tx === undefined) await log.settled();
        return reply;
      };
    };
  }

  return {
    opened,
    transaction: async (run, options) => {
      const result = await transact(opened(), run, options);
      await log.settled();
      return result;
    },
    reads: methodsBy(readLogged, (all) => all.store),
    writes: methodsBy(writeLogged, (all) => all.store),
    rules: methodsBy(writeLogged, ({ rows }) => rows),
    close: () => {
      close();
      closing ??= log.close();
      return closing;
    },
  };
}

function openUntilClosed(transactions: Transactions, log?: CommitLog): Pick<Calls, "opened"> & { close(): void } {
  let current: Transactions | undefined = transactions;
  return {
    opened: () => {
      if (current === undefined) throw new ChainwrightError("closed", "the state adapter has been closed");
      log?.check();
      return current;
    },
    close: () => {
      parkApplied(transactions);
      transactions.open.clear();
      current = undefined;
    },
  };
}
