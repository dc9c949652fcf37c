import { ChainwrightError } from "../../src/model/error.ts";
import type { Life } from "./life.ts";
import type { FaultRates } from "./scenario.ts";
import type { Watch } from "./watch.ts";

/** A new promise each time: a shared one would keep everything alive that ever awaited it. */
function forEver(): Promise<never> {
  return new Promise(() => undefined);
}

/** What can befall a call of one process. */
export interface Misfortune {
  strikes(fault: keyof FaultRates): boolean;
  /** Time passes, perhaps; a process that has died meanwhile never hears. */
  pause(): Promise<void>;
  /** The process dies, perhaps. */
  lifeOrDeath(): Promise<void>;
  /** The connection is gone, perhaps. */
  fails(fault: "failBefore" | "replyLost", what: string): void;
}

export function createMisfortune(life: Life, rates: () => FaultRates, watch: Watch): Misfortune {
  const strikes = (fault: keyof FaultRates): boolean => {
    const rate = rates()[fault];
    if (rate === 0 || life.random() * 1_000 >= rate) return false;
    watch.strike(fault);
    return true;
  };
  return {
    strikes,
    async pause() {
      if (strikes("delay"))
        await new Promise<void>((resolve) => void life.clock.setTimer(resolve, life.random() * 3_000));
      if (life.isDead()) await forEver();
    },
    async lifeOrDeath() {
      if (!strikes("die")) return;
      life.die();
      await forEver();
    },
    fails(fault, what) {
      if (strikes(fault)) throw new ChainwrightError("store-unavailable", what);
    },
  };
}
