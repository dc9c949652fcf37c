import type { Heartbeat } from "../../ports/state.ts";
import type { WorkerRow } from "../rows.ts";
import type { Store } from "../store.ts";

export function heartbeat(store: Store, { aliveForMs, workerId, ...said }: Heartbeat, now: number): void {
  const before = store.workers.get(workerId);
  const worker = { ...said, id: workerId, startedAt: before?.worker.startedAt ?? now, lastSeenAt: now };
  setWorker(store, workerId, aliveForMs > 0 ? { worker, aliveUntil: now + aliveForMs } : undefined);
  store.journal?.push(() => {
    setWorker(store, workerId, before);
  });
}

function setWorker({ workers }: Store, id: string, row: WorkerRow | undefined): void {
  if (row === undefined) workers.delete(id);
  else workers.set(id, row);
}
