import { checkKeys } from "../checks/check-options.ts";
import type { StoreAccess } from "../engine/engine.ts";
import type { LostWorkerRecord } from "../model/record.ts";
import type { InTransaction } from "../types/list-options.ts";
import type { View } from "./views.ts";

const lostWorkersKeys = { tx: true } satisfies Record<keyof InTransaction<unknown>, true>;

export async function listLostWorkers(
  store: StoreAccess,
  options: InTransaction<unknown> = {},
): Promise<readonly View[]> {
  checkKeys(options, lostWorkersKeys, "listLostWorkers");
  const workers = await readLostWorkers(store, options.tx);
  return workers.map(({ held, ...worker }) => ({
    ...worker,
    startedAt: new Date(worker.startedAt),
    lastSeenAt: new Date(worker.lastSeenAt),
    lostAt: new Date(worker.lostAt),
    held: held?.map(({ jobId, attempt, startedAt, leasedUntil }) => {
      return { jobId, attempt, startedAt: new Date(startedAt), leasedUntil: new Date(leasedUntil) };
    }),
  }));
}

/** None, if the store keeps none. */
export async function readLostWorkers(store: StoreAccess, tx: unknown): Promise<readonly LostWorkerRecord[]> {
  return (await store.state.listLostWorkers?.(store.callOptions(tx))) ?? [];
}
