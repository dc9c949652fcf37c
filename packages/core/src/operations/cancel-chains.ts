import type { ChainEvent } from "../model/event.ts";
import { checkId, checkText } from "../checks/check-options.ts";
import type { Engine } from "../engine/engine.ts";
import { consequenceEvents, endedChain, releasingEvents } from "../engine/job-events.ts";
import { change, checkDistinct } from "./change.ts";
import { checkChainKeys } from "./read-values.ts";

export interface CancelItem {
  readonly id: string;
  readonly reason?: string | undefined;
}

const cancelKeys = { id: true, reason: true } satisfies Record<keyof CancelItem, true>;
const longestReason = 2_000;

/** Ends active chains as cancelled; all or none. */
export async function cancelChains(engine: Engine, items: readonly CancelItem[], tx: unknown): Promise<void> {
  if (items.length === 0) return;
  const requests = items.map(cancelRequest);
  checkDistinct(requests, "cancelChains");
  const cancelled = await change(engine, tx, () => engine.state.cancel(requests, engine.callOptions(tx)));
  const events = cancelled.flatMap((chain): ChainEvent[] => {
    const { jobId, chainId, typeName, interrupted, awaited } = chain;
    return [
      { type: "job-cancelled", jobId, chainId, typeName },
      { type: "chain-cancelled", ...endedChain({ jobId, chainId, typeName }, awaited), interrupted },
      ...consequenceEvents(chain),
      ...releasingEvents(chain),
    ];
  });
  engine.events.record(events, tx);
}

function cancelRequest(item: CancelItem) {
  checkChainKeys(item, cancelKeys, "cancelChain");
  const { id, reason } = item;
  return {
    chainId: checkId(id, "id"),
    reason: reason === undefined ? undefined : checkText(reason, "reason", longestReason),
  };
}
