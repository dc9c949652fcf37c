import type { Fence } from "../model/outcome.ts";
import type { Engine } from "../engine/engine.ts";

/**
 * Runs `run` in one transaction of the store. Its events are published after the commit, and dropped on rollback. With `holding`
 * it commits only if that fence still matches the job's lease.
 */
export async function runTransaction<T>(
  { state, events: log }: Pick<Engine, "state" | "events">,
  run: (tx: unknown) => Promise<T>,
  holding?: Fence,
): Promise<T> {
  const inside = async (tx: unknown) => {
    log.begin(tx);
    return { result: await run(tx), events: log.take(tx) };
  };
  const { result, events } = await state.transaction(inside, holding === undefined ? undefined : { holding });
  log.record(events, undefined);
  return result;
}

/** A transaction that stays open while other code runs. */
export interface OpenTransaction {
  readonly tx: unknown;
  commit(): Promise<void>;
  rollback(reason: unknown): Promise<void>;
}

/** Opens a transaction with `run`. The caller must end it with `commit` or `rollback`. */
export async function openTransaction(
  run: (inside: (tx: unknown) => Promise<void>) => Promise<void>,
): Promise<OpenTransaction> {
  const opened = Promise.withResolvers<unknown>();
  const ended = Promise.withResolvers<void>();
  const done = run(async (tx) => {
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
