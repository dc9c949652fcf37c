import type { QueuedCount } from "../../ports/query.ts";
import { promote, type Store } from "../store.ts";

const statuses = ["ready", "scheduled", "running"] as const;

export function countQueued(store: Store, _request: undefined, now: number): readonly QueuedCount[] {
  promote(store, now);
  return [...store.lanes.types.values()].flatMap(({ name: typeName, version, pool, counts }) =>
    statuses
      .map((status) => ({ typeName, version, pool, status, count: counts[status] }))
      .filter(({ count }) => count > 0),
  );
}
