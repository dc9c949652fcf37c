import type { Heartbeat, HeartbeatReply } from "../../ports/heartbeat.ts";
import { onlySchema } from "../only-schema.ts";
import { peekKey } from "../lazy-heap.ts";
import { addCounted } from "../history.ts";
import { nextTickInMs } from "../schedules.ts";
import { pausesAt } from "../pauses.ts";
import type { Store } from "../store.ts";
import { noteHeld } from "../lost-workers.ts";
import { setWorker } from "../workers.ts";

export function heartbeat(store: Store, { aliveForMs, workerId, ...said }: Heartbeat, now: number): HeartbeatReply {
  const startedAt = store.workers.get(workerId)?.worker.startedAt ?? now;
  const worker = {
    name: said.name,
    typeNames: said.typeNames,
    concurrency: said.concurrency,
    holds: said.holds,
    packageVersion: said.packageVersion,
    codeVersion: said.codeVersion,
    versions: said.versions ?? {},
    pools: said.pools ?? [null],
    id: workerId,
    schemaVersion: onlySchema.version,
    startedAt,
    lastSeenAt: now,
  };
  setWorker(store, workerId, aliveForMs > 0 ? { worker, aliveUntil: now + aliveForMs, held: undefined } : undefined);
  noteHeld(store, workerId, now);
  if (said.counted !== undefined) addCounted(store, said.counted, now);
  const limited = store.limits.waiting > 0 ? true : undefined;
  const deadlines = peekKey(store.deadlines) === undefined ? undefined : true;
  return { paused: pausesAt(store, now), nextTickInMs: nextTickInMs(store.schedules, now), limited, deadlines };
}
