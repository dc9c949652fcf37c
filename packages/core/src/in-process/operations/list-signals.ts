import type { SignalRecord } from "../../model/signal.ts";
import type { SignalQuery } from "../../ports/signal.ts";
import { listSignals as listOf } from "../signals.ts";
import type { Store } from "../store.ts";

export function listSignals(store: Store, { chainId, after, limit }: SignalQuery): readonly SignalRecord[] {
  const chain = store.jobs.get(chainId);
  return chain === undefined ? [] : listOf(store, chain, { after, limit });
}
