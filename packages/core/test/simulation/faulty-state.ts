import { ChainwrightError } from "../../src/model/error.ts";
import type { StateAdapter } from "../../src/ports/state.ts";
import type { ProcessClock } from "./scheduler.ts";

/** One simulated process, as its connection to the store sees it. */
export interface Life {
  readonly clock: ProcessClock;
  readonly random: () => number;
  /** Rejects when the process dies; its open transactions are then rolled back. */
  readonly death: Promise<never>;
  isDead(): boolean;
  die(): void;
}

/** How often each fault strikes, from 0 to 1. All at 0 is a world without faults. */
export interface FaultRates {
  failBefore: number;
  replyLost: number;
  delay: number;
  die: number;
}

const never = new Promise<never>(() => undefined);

/** A connection to a state adapter on which calls fail, are answered late, lose their reply, or are the last of their process. */
export function faultyState(
  state: StateAdapter,
  life: Life,
  rates: FaultRates,
  count: (fault: string) => void,
): StateAdapter {
  const strikes = (fault: keyof FaultRates): boolean => {
    if (life.random() >= rates[fault]) return false;
    count(fault);
    return true;
  };
  const pause = async (): Promise<void> => {
    if (strikes("delay"))
      await new Promise<void>((resolve) => void life.clock.setTimer(resolve, life.random() * 3_000));
    if (life.isDead()) await never;
  };
  const lifeOrDeath = async (): Promise<void> => {
    if (!strikes("die")) return;
    life.die();
    await never;
  };
  const around = async <T>(call: () => Promise<T>, inTx: boolean): Promise<T> => {
    await pause();
    await lifeOrDeath();
    if (strikes("failBefore")) throw unavailable("the connection was refused");
    const result = await call();
    await lifeOrDeath();
    // Within a transaction a lost reply is the end of the transaction, which the commit below simulates.
    if (!inTx && strikes("replyLost")) throw unavailable("the connection was lost before the reply came");
    await pause();
    return result;
  };
  const transaction: StateAdapter["transaction"] = async (run) => {
    await pause();
    if (strikes("failBefore")) throw unavailable("the connection was refused");
    const result = await state.transaction(async (tx) => {
      const value = await Promise.race([run(tx), life.death]);
      if (strikes("failBefore")) throw unavailable("the connection was lost before the commit");
      return value;
    });
    await lifeOrDeath();
    if (strikes("replyLost")) throw unavailable("the reply to the commit was lost");
    await pause();
    return result;
  };
  return new Proxy(state, {
    get(target, property: keyof StateAdapter) {
      if (property === "transaction") return transaction;
      const method = target[property];
      if (property === "isConflict" || property === "migrate" || property === "close") return method;
      return (...args: readonly unknown[]) => {
        const options = args.at(-1);
        const inTx = typeof options === "object" && options !== null && "tx" in options && options.tx !== undefined;
        return around(() => Reflect.apply(method, target, args) as Promise<unknown>, inTx);
      };
    },
  });
}

function unavailable(message: string): ChainwrightError {
  return new ChainwrightError("store-unavailable", message);
}
