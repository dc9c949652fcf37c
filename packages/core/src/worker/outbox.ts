import type { WakeUp } from "../timing/wake-up.ts";
import type { HandIn } from "./hand-in.ts";

/** Outcomes of ended attempts on their way to the store. The exchange loop takes all of them with its next exchange. */
export interface Outbox {
  /** Wakes the exchange loop. */
  readonly wakeUp: WakeUp;
  readonly items: HandIn[];
}

export function createOutbox(wakeUp: WakeUp): Outbox {
  return { wakeUp, items: [] };
}

/** Puts an outcome into the next exchange. */
export function handIn(outbox: Outbox, item: HandIn): void {
  outbox.items.push(item);
  outbox.wakeUp.wake();
}

/** Takes out all outcomes, without those that an earlier call has settled after all. */
export function takeOutcomes(outbox: Outbox): readonly HandIn[] {
  return outbox.items.splice(0).filter(({ fate }) => !fate.isSettled);
}
