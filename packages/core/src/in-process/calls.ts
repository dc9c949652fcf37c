import { ChainwrightError } from "../model/error.ts";
import type { Clock } from "../ports/clock.ts";
import type { CallOptions } from "../ports/state.ts";
import { createStore } from "./store.ts";
import type { Store } from "./store.ts";
import { createTransactions, read, write } from "./transactions.ts";
import type { InProcessTransaction, Transactions } from "./transactions.ts";

type Operation<Q, R> = (store: Store, request: Q, now: number) => R;
type Method<Q, R> = (request: Q, options: CallOptions<InProcessTransaction>) => Promise<R>;

/** Makes methods of operations, until it is closed: the time, the transaction and the promise come from here. */
export interface Calls {
  readonly opened: () => Transactions;
  readonly reads: <Q, R>(operation: Operation<Q, R>) => Method<Q, R>;
  readonly writes: <Q, R>(operation: Operation<Q, R>) => Method<Q, R>;
  readonly close: () => void;
}

export function createCalls(clock: Pick<Clock, "now"> | undefined): Calls {
  let transactions: Transactions | undefined = createTransactions(createStore());

  function opened(): Transactions {
    if (transactions === undefined) throw new ChainwrightError("closed", "the state adapter has been closed");
    return transactions;
  }

  function methodsBy(through: typeof read) {
    return function methodOf<Q, R>(operation: Operation<Q, R>): Method<Q, R> {
      return async (request, { tx, now = clock?.now() ?? Date.now() }) => {
        const all = opened();
        return through(all, tx, () => operation(all.store, request, now));
      };
    };
  }

  return {
    opened,
    reads: methodsBy(read),
    writes: methodsBy(write),
    close: () => {
      transactions?.open.clear();
      transactions = undefined;
    },
  };
}
