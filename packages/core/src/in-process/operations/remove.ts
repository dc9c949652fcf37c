import type { RemoveRequest, RemoveReply, Reply } from "../../ports/state.ts";
import { chainsHeldBy, deleteChain } from "../delete-chain.ts";
import { refused } from "../records.ts";
import { lastOf } from "../rows.ts";
import type { JobRow } from "../rows.ts";
import type { Store } from "../store.ts";

/** A refusal names no more than this many chains. */
const mostReferences = 100;

export function remove(store: Store, { chainIds, cascade }: RemoveRequest): Reply<readonly RemoveReply[]> {
  const chains = new Set<JobRow>();
  for (const id of chainIds) {
    const chain = store.jobs.get(id);
    if (chain === undefined || chain.chain !== undefined) return refused({ code: "chain-not-found", id });
    chains.add(chain);
  }
  // Grows while it is walked, by what the cascade takes along.
  for (const chain of chains) {
    const held = chainsHeldBy(chain).filter((other) => !chains.has(other));
    if (cascade) for (const other of held) chains.add(other);
    else if (held.length > 0) {
      const references = held.slice(0, mostReferences).map((other) => other.id);
      return refused({ code: "chain-referenced", id: chain.id, references });
    }
  }
  const value = [...chains].map(toRemoved);
  for (const chain of chains) deleteChain(store, chain);
  return { ok: true, value };
}

function toRemoved(chain: JobRow): RemoveReply {
  const { id, status, lease } = lastOf(chain);
  const isUnderWay = status === "running" && lease !== undefined;
  return {
    chainId: chain.id,
    typeName: chain.lane.type.name,
    interrupted: isUnderWay ? { jobId: id, workerId: lease.workerId } : undefined,
  };
}
