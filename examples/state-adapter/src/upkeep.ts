import type { Chore, Heartbeat, HeartbeatReply, MaintainReply, MaintainRequest } from "chainwright/adapter";
import type { Data } from "./data.ts";
import { chainStatusOf, chainsBlockedBy, lastJobOf } from "./jobs.ts";
import { listPauses } from "./pauses.ts";
import { removeChain } from "./rows.ts";

export function heartbeat(data: Data, { aliveForMs, workerId, ...said }: Heartbeat, now: number): HeartbeatReply {
  const startedAt = data.workers.get(workerId)?.worker.startedAt ?? now;
  const { packageVersion, codeVersion, versions = {}, pools = [null] } = said;
  const reported = { packageVersion, codeVersion, versions, pools };
  const worker = { ...said, ...reported, id: workerId, schemaVersion: 1, startedAt, lastSeenAt: now };
  if (aliveForMs <= 0) data.workers.delete(workerId);
  else data.workers.set(workerId, { worker, aliveUntil: now + aliveForMs });
  return { paused: listPauses(data, undefined, now) };
}

/** One pass of one chore. */
export function maintain(
  data: Data,
  { chore, completedMs, failedMs, limit }: MaintainRequest & { readonly chore: Chore },
  now: number,
): MaintainReply {
  if (chore === "retention") return expire(data, { completedMs, failedMs, limit }, now);
  const entries = chore === "windows" ? keysThatPassed(data, now) : chore === "workers" ? deadWorkers(data, now) : [];
  for (const forget of entries.slice(0, limit)) forget();
  return { removed: 0, more: entries.length > limit };
}

/** Deletes chains that ended long ago, the oldest first, unless another chain needs them. */
function expire(
  data: Data,
  { completedMs, failedMs, limit }: Omit<MaintainRequest, "chore">,
  now: number,
): MaintainReply {
  const expired = [...data.jobs.values()].filter((chain) => {
    if (chain.chain === undefined) return false;
    const status = chainStatusOf(data, chain);
    const keptMs = status === "failed" ? failedMs : completedMs;
    if (status === "active" || keptMs === undefined) return false;
    return (lastJobOf(data, chain).endedAt ?? now) <= now - keptMs && chainsBlockedBy(data, chain.id).length === 0;
  });
  const endedAt = (chain: (typeof expired)[number]) => lastJobOf(data, chain).endedAt ?? 0;
  const chains = expired.toSorted((a, b) => endedAt(a) - endedAt(b)).slice(0, limit);
  for (const chain of chains) removeChain(data, chain);
  return { removed: chains.length, more: chains.length >= limit };
}

function keysThatPassed({ keys }: Data, now: number): (() => void)[] {
  const passed = [...keys].filter(([, { until }]) => until !== undefined && until <= now);
  return passed.map(
    ([key]) =>
      () =>
        void keys.delete(key),
  );
}

function deadWorkers({ workers }: Data, now: number): (() => void)[] {
  return [...workers]
    .filter(([, { aliveUntil }]) => aliveUntil <= now)
    .map(
      ([id]) =>
        () =>
          void workers.delete(id),
    );
}
