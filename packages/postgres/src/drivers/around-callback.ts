import { noReply, noConnection } from "../errors.ts";
import { rollbackLimitMs, settlesWithin, within } from "./time-limit.ts";

/** A transaction that a library begins before a callback and ends after it. */
export interface AroundCallback<Tx, T> {
  readonly begin: (callback: (tx: Tx) => Promise<void>) => Promise<unknown>;
  readonly run: (tx: Tx) => Promise<T>;
  /** How long the begin and the commit may each take. */
  readonly limitMs: number;
  /** Cancels what runs on the connection, if the library can. */
  readonly cancel: () => void;
  /** Waits for the commit. Rejects if the library has received a notice that it is not replicated. */
  readonly commits: <Value>(commit: () => Promise<Value>) => Promise<Value>;
}

/** Runs the transaction. No part of it is waited for longer than the limit. */
export async function aroundCallback<Tx, T>(around: AroundCallback<Tx, T>): Promise<T> {
  const { begin, run, limitMs, cancel, commits } = around;
  let result: { readonly of: T } | undefined;
  let thrown: { readonly error: unknown } | undefined;
  let isLate = false;
  const opened = Promise.withResolvers<void>();
  const ran = Promise.withResolvers<void>();

  const begun = begin(async (tx) => {
    if (isLate) throw new Error("the transaction was given up before it began");
    opened.resolve();
    try {
      result = { of: await run(tx) };
    } catch (error) {
      thrown = { error };
    }
    ran.resolve();
    // Knex ignores a rejection with undefined.
    if (thrown !== undefined)
      throw thrown.error instanceof Error ? thrown.error : new Error("the transaction is rolled back");
  });
  begun.catch(() => undefined);

  const giveUpOpening = () => {
    isLate = true;
    return noConnection(limitMs);
  };
  await within(Promise.race([opened.promise, begun]), { limitMs, giveUp: giveUpOpening });
  await Promise.race([ran.promise, begun]);
  if (thrown !== undefined) {
    // The rollback waits for what runs on the connection.
    if (!(await settlesWithin(begun, rollbackLimitMs))) {
      cancel();
      await settlesWithin(begun, rollbackLimitMs);
    }
    throw thrown.error;
  }
  const giveUpCommit = () => {
    cancel();
    return noReply(limitMs);
  };
  await commits(() => within(begun, { limitMs, giveUp: giveUpCommit }));
  if (result === undefined) throw new Error("the transaction's callback was not run");
  return result.of;
}
