import { isChainwrightError } from "../model/error.ts";
import type { Engine } from "../engine/engine.ts";
import type { Patience } from "../engine/patience.ts";
import type { SettleReply, StateAdapter } from "../ports/state.ts";
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
 * @param told what became of each that the store has answered.
 * @returns what could not be handed in because the store went away.
 */
export async function deliverAlone(
  { engine, patience }: Store,
  items: readonly HandIn[],
  told: (item: HandIn, reply: SettleReply) => void,
): Promise<readonly HandIn[]> {
  const settleOne = (item: HandIn): Promise<SettleReply> => patience(() => settle(engine, item));
  for (const [index, item] of items.entries()) {
    try {
      told(item, await settleOne(item));
    } catch (error) {
      if (isStoreAway(engine.state, error)) return items.slice(index);
      const failed = item.asFailed(error);
      await settleOne(failed).then(
        (reply) => told(failed, reply),
        () => undefined,
      );
    }
  }
  return [];
}

interface Store {
  readonly engine: Engine;
  readonly patience: Patience;
}

async function settle({ state, callOptions }: Engine, { outcome }: HandIn): Promise<SettleReply> {
  const [reply] = await state.settle([outcome], callOptions());
  if (reply === undefined) throw new TypeError("the state adapter answered nothing for an outcome");
  return reply;
}
