import { checkKeys } from "../checks/check-options.ts";
import type { StoreAccess } from "../engine/engine.ts";
import type { InTransaction } from "../types/list-options.ts";
import type { View } from "./views.ts";

const listWorkersKeys = { tx: true } satisfies Record<keyof InTransaction<unknown>, true>;

export async function listWorkers(store: StoreAccess, options: InTransaction<unknown> = {}): Promise<readonly View[]> {
  checkKeys(options, listWorkersKeys, "listWorkers");
  const workers = await store.state.listWorkers(store.callOptions(options.tx));
  return workers.map((worker) => ({
    ...worker,
    startedAt: new Date(worker.startedAt),
    lastSeenAt: new Date(worker.lastSeenAt),
  }));
}
