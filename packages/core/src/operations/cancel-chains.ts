import type { ChainEvent } from "../model/event.ts";
import { checkId, checkText, invalid, show } from "../checks/check-options.ts";
import type { CancelReply } from "../ports/change.ts";
import { listedView } from "./listed-view.ts";
import type { ReadStored, View } from "./views.ts";
import type { Engine } from "../engine/engine.ts";
import { consequenceEvents, endedChain, releasingEvents } from "../engine/job-events.ts";
import { change, checkDistinct } from "./change.ts";
import { checkChainKeys, isReadValue } from "./read-values.ts";
import type { BlockerCounts } from "../model/record.ts";

export interface CancelItem {
  readonly id: string;
  readonly reason?: string | undefined;
  readonly blockers?: "cancel" | "leave" | BlockerCounts | undefined;
}

const cancelKeys = { id: true, reason: true, blockers: true } satisfies Record<keyof CancelItem, true>;
const longestReason = 2_000;

/** Ends active chains as cancelled; all or none. */
export async function cancelChains(
  engine: Engine,
  items: readonly CancelItem[],
  tx: unknown,
): Promise<readonly View[]> {
  if (items.length === 0) return [];
  const requests = items.map(cancelRequest);
  checkDistinct(requests, "cancelChains");
  const cancelled = await change(engine, tx, () => engine.state.cancel(requests, engine.callOptions(tx)));
  engine.events.record(cancelled.flatMap(cancelEvents), tx);
  // The cancellations are written: an input that cannot be read must not hide that.
  return cancelled.map(listedView(engine.types.versions, cancelledView));
}

/** What was cancelled: the chain, as it was started, and the ids of all chains that ended, its own first. */
function cancelledView({ chainId: id, entry, blockers = [] }: CancelReply, read: ReadStored): View {
  const { typeName, version } = entry;
  const cancelled = [id, ...blockers.map(({ chainId }) => chainId)];
  return { id, typeName, input: read({ payload: "input", typeName, version }, entry.input), cancelled };
}

/** The events of a chain that was cancelled, by a caller or by its deadline, and of what ended with it. */
export function cancelEvents(chain: CancelReply): readonly ChainEvent[] {
  const { awaited, blockers = [] } = chain;
  return [
    ...[chain, ...blockers].flatMap(({ jobId, chainId, typeName, interrupted }): ChainEvent[] => [
      { type: "job-cancelled", jobId, chainId, typeName },
      { type: "chain-cancelled", ...endedChain({ jobId, chainId, typeName }, awaited), interrupted },
    ]),
    ...consequenceEvents(chain),
    ...releasingEvents(chain),
  ];
}

function cancelRequest(item: CancelItem) {
  checkChainKeys(item, cancelKeys, "cancelChain");
  const { id, reason } = item;
  // A chain as it was read may have counts of its blockers.
  const blockers = isReadValue(item) || item.blockers === undefined ? "cancel" : item.blockers;
  if (blockers !== "cancel" && blockers !== "leave")
    throw invalid(`blockers must be "cancel" or "leave"; got ${show(blockers)}.`);
  return {
    chainId: checkId(id, "id"),
    reason: reason === undefined ? undefined : checkText(reason, "reason", longestReason),
    blockers,
  };
}
