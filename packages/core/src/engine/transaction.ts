import { deferred } from "./deferred.ts";
import type { Engine } from "./engine.ts";

/** Runs `run` in one transaction of the store; what it recorded is published after the commit, and dropped on rollback. */
export async function runTransaction<T>(engine: Engine, run: (tx: unknown) => Promise<T>): Promise<T> {
  const { result, events } = await engine.state.transaction(async (tx) => {
    engine.events.begin(tx);
    return { result: await run(tx), events: engine.events.take(tx) };
  });
  engine.events.record(events, undefined);
  return result;
}

/** A transaction that stays open while other code runs. */
export interface OpenTransaction {
  readonly tx: unknown;
  commit(): Promise<void>;
  rollback(reason: unknown): Promise<void>;
}

/** Opens a transaction that ends when the caller says so; the caller must say so. */
export async function openTransaction(engine: Engine): Promise<OpenTransaction> {
  const opened = deferred<unknown>();
  const ended = deferred<void>();
  const done = runTransaction(engine, async (tx) => {
    opened.resolve(tx);
    await ended.promise;
  });
  done.catch(opened.reject);
  const tx = await opened.promise;
  return {
    tx,
    async commit() {
      ended.resolve();
      await done;
    },
    async rollback(reason) {
      ended.reject(reason);
      await done.catch(() => undefined);
    },
  };
}
