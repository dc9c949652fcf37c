import { ChainwrightError } from "../model/error.ts";
import type { Clock } from "../ports/clock.ts";
import type { CallOptions } from "../ports/call.ts";
import { createRows } from "./rows.ts";
import type { InProcessRows } from "./rows.ts";
import { createStore } from "./store.ts";
import type { Store } from "./store.ts";
import { createTransactions, read, write } from "./transactions.ts";
import type { InProcessTransaction, Transactions } from "./transactions.ts";

/** `Access`: the store, or the rows of it on which the rules work. */
type Operation<Access, Q, R> = (access: Access, request: Q, now: number) => R;
type Method<Q, R> = (request: Q, options: CallOptions<InProcessTransaction>) => Promise<R>;

/** Turns operations into methods until it is closed: it adds the time, the transaction and the promise. */
export interface Calls {
  readonly opened: () => Transactions;
  readonly reads: <Q, R>(operation: Operation<Store, Q, R>) => Method<Q, R>;
  readonly writes: <Q, R>(operation: Operation<Store, Q, R>) => Method<Q, R>;
  /** Writes by the rules of chains. */
  readonly rules: <Q, R>(operation: Operation<InProcessRows, Q, R>) => Method<Q, R>;
  readonly close: () => void;
}

export function createCalls(clock: Pick<Clock, "now"> | undefined): Calls {
  let transactions: Transactions | undefined = createTransactions(createRows(createStore()));

  function opened(): Transactions {
    if (transactions === undefined) throw new ChainwrightError("closed", "the state adapter has been closed");
    return transactions;
  }

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
    reads: methodsBy(read, ({ store }) => store),
    writes: methodsBy(write, ({ store }) => store),
    rules: methodsBy(write, ({ rows }) => rows),
    close: () => {
      transactions?.open.clear();
      transactions = undefined;
    },
  };
}
