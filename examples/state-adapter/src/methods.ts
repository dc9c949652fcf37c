import type { CallOptions } from "chainwright/adapter";
import type { Data } from "./data.ts";
import { createRows } from "./rows.ts";
import type { Transaction, Transactions } from "./transactions.ts";

type Operation<Q, R> = (data: Data, request: Q, now: number) => R;
type Method<Q, R> = (request: Q, options: CallOptions<Transaction>) => Promise<R>;

export type Methods = ReturnType<typeof createMethods>;

/** Makes methods of the port from operations on the data. */
export function createMethods({ read, write }: Transactions) {
  const reads =
    <Q, R>(operation: Operation<Q, R>): Method<Q, R> =>
    async (request, options) =>
      read((data, now) => operation(data, request, now), options);
  const writes =
    <Q, R>(operation: Operation<Q, R>): Method<Q, R> =>
    async (request, options) =>
      write((data, now) => operation(data, request, now), options);
  /** A method that is a rule of chains. */
  const rule = <Q, R>(of: (rows: ReturnType<typeof createRows>, request: Q, now: number) => R): Method<Q, R> =>
    writes((data, request, now) => of(createRows(data), request, now));
  return { reads, writes, rule };
}
