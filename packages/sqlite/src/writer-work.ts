import { createLimit, lend } from "@chainwright/sql-transactions";
import { closedError, translate } from "./errors.ts";
import type { Callback, LentTransaction, Line, Resolve } from "./writer-line.ts";

/** The result of one member's work. */
export type Result = { readonly ok: true; readonly resolve: Resolve } | { readonly ok: false; readonly error: unknown };

export function call(run: () => Resolve): Result {
  try {
    return { ok: true, resolve: run() };
  } catch (error) {
    return { ok: false, error: translate(error) };
  }
}

export async function callBack<Tx extends object>(line: Line<Tx>, { run, caller }: Callback<Tx>): Promise<Result> {
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
  const limit = createLimit(line.options.transactionTimeoutMs, "no one else can write during that time");
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
