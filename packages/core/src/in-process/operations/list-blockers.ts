import type { BlockerRecord } from "../../model/record.ts";
import type { BlockerQuery } from "../../ports/query.ts";
import { nothing } from "../../rules/replies.ts";
import { toChainRecord } from "../records.ts";
import type { Store } from "../store.ts";

export function listBlockers(store: Store, { jobId, afterPosition, limit }: BlockerQuery): readonly BlockerRecord[] {
  const chains = store.jobs.get(jobId)?.blocking?.chains ?? nothing;
  const blockers: BlockerRecord[] = [];
  for (let position = (afterPosition ?? -1) + 1; position < chains.length && blockers.length < limit; position += 1) {
    const chain = chains[position];
    if (chain !== undefined) blockers.push({ position, chain: toChainRecord(chain) });
  }
  return blockers;
}
