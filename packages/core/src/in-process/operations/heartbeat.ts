import type { Heartbeat } from "../../ports/heartbeat.ts";
import { onlySchema } from "../only-schema.ts";
import type { Store } from "../store.ts";
import { setWorker } from "../workers.ts";

export function heartbeat(store: Store, { aliveForMs, workerId, ...said }: Heartbeat, now: number): void {
  const startedAt = store.workers.get(workerId)?.worker.startedAt ?? now;
  const worker = { ...said, id: workerId, schemaVersion: onlySchema.version, startedAt, lastSeenAt: now };
  setWorker(store, workerId, aliveForMs > 0 ? { worker, aliveUntil: now + aliveForMs } : undefined);
}
