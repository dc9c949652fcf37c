import { isChainwrightError } from "../model/error.ts";
import type { Engine } from "../engine/engine.ts";
import { settledEvents } from "../engine/settle.ts";
import type { StateAdapter } from "../ports/state.ts";
import type { HandIn } from "./slots.ts";

/** Whether an error says that the store is out of reach, or lost a race: the same call may succeed later. */
export function isStoreAway(state: StateAdapter, error: unknown): boolean {
  return (
    isChainwrightError(error, "store-unavailable") ||
    isChainwrightError(error, "not-migrated") ||
    isChainwrightError(error, "closed") ||
    state.isConflict(error)
  );
}

/**
 * Settles outcomes one by one after the store has choked on them together, so that a poisonous one hurts nobody else. The one
 * that the store will not take becomes a failed attempt; when it will not take that either, the lease runs out by itself.
 *
 * @returns what could not be handed in because the store went away.
 */
export async function deliverAlone(engine: Engine, items: readonly HandIn[]): Promise<readonly HandIn[]> {
  for (const [index, item] of items.entries()) {
    try {
      await settleOne(engine, item);
    } catch (error) {
      if (isStoreAway(engine.state, error)) return items.slice(index);
      await settleOne(engine, item.asFailed(error)).catch(() => undefined);
    }
  }
  return [];
}

async function settleOne(engine: Engine, { outcome }: HandIn): Promise<void> {
  const [reply] = await engine.state.settle([outcome], engine.callOptions());
  if (reply?.status === "settled") engine.events.record(settledEvents(outcome, reply, engine.clock.now()), undefined);
}
