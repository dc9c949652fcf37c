import type { WorkerRecord } from "../../model/record.ts";
import type { Store } from "../store.ts";

export function listWorkers(store: Store, _request: undefined, now: number): readonly WorkerRecord[] {
  return [...store.workers.values()]
    .filter(({ aliveUntil }) => aliveUntil > now)
    .map(({ worker }) => worker)
    .sort((left, right) => left.startedAt - right.startedAt || (left.id < right.id ? -1 : 1));
}
