import type { BlockerRecord } from "../../model/record.ts";
import type { BlockerQuery } from "../../ports/query.ts";
import { nothing } from "../../rules/replies.ts";
import { omitPayloads } from "../omit-payloads.ts";
import { toChainRecord } from "../records.ts";
import { chainStatusOf } from "../row-types.ts";
import type { Store } from "../store.ts";

export function listBlockers(store: Store, query: BlockerQuery): readonly BlockerRecord[] {
  const { jobId } = query;
  return typeof jobId === "string"
    ? blockersOf(store, jobId, query)
    : jobId.flatMap((id) => blockersOf(store, id, query));
}

function blockersOf(store: Store, jobId: string, query: BlockerQuery): readonly BlockerRecord[] {
  const { afterPosition, limit, statuses } = query;
  const chains = store.jobs.get(jobId)?.blocking?.chains ?? nothing;
  const blockers: BlockerRecord[] = [];
  for (let position = (afterPosition ?? -1) + 1; position < chains.length && blockers.length < limit; position += 1) {
    const chain = chains[position];
    if (chain === undefined || statuses?.includes(chainStatusOf(chain)) === false) continue;
    blockers.push({ jobId, position, chain: omitPayloads(toChainRecord(chain), query) });
  }
  return blockers;
}
