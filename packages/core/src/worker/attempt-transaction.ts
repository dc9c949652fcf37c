import type { Engine } from "../engine/engine.ts";
import type { Fence } from "../model/outcome.ts";
import { runTransaction } from "../operations/transaction.ts";
import { checkLife, whileAlive, type AttemptLife } from "./attempt-life.ts";

/** An attempt that opens transactions. */
export interface Transacting {
  readonly engine: Engine;
  readonly life: AttemptLife;
  /** Resolves when the transactions of the attempt are committed or rolled back. */
  ended: Promise<unknown> | undefined;
}

/**
 * Runs a callback in a transaction of the store that ends with the attempt at the latest: the store then rolls it back, even if
 * `run` never ends. It leaves one connection for the renewal of leases, and waits if there is no other. A transaction that the
 * handler opens inside this one does not wait like this: it would wait for this one.
 */
export async function transact<T>(steps: Transacting, run: (tx: unknown) => Promise<T>, holding?: Fence): Promise<T> {
  const { engine, life } = steps;
  checkLife(life);
  const ended = Promise.withResolvers<void>();
  const inside = (tx: unknown) => {
    steps.ended = steps.ended === undefined ? ended.promise : Promise.all([steps.ended, ended.promise]);
    return whileAlive(life, () => run(tx));
  };
  try {
    return await engine.keepOneFree(async () => {
      checkLife(life);
      return await runTransaction(engine, inside, holding);
    });
  } finally {
    ended.resolve();
  }
}
