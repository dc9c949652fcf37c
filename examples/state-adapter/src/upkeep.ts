import { rules } from "chainwright/adapter";
import type { Chore, Heartbeat, HeartbeatReply, MaintainReply, MaintainRequest } from "chainwright/adapter";
import type { Data, Job } from "./data.ts";
import { createEnds } from "./ends.ts";
import { chainStatusOf, chainsBlockedBy, followUpsOf, lastJobOf } from "./jobs.ts";
import { isInLane } from "./lanes.ts";
import { keepLimits } from "./limits.ts";
import { forgetNotes } from "./notes.ts";
import { listPauses } from "./pauses.ts";
import { removeChain } from "./rows.ts";
import { nextTickInMs, scheduleRows } from "./schedules.ts";
import { forgetPublications } from "./signals.ts";

export function heartbeat(data: Data, { aliveForMs, workerId, ...said }: Heartbeat, now: number): HeartbeatReply {
  const startedAt = data.workers.get(workerId)?.worker.startedAt ?? now;
  const { packageVersion, codeVersion, versions = {}, pools = [null] } = said;
  const reported = { packageVersion, codeVersion, versions, pools };
  const worker = { ...said, ...reported, id: workerId, schemaVersion: 1, startedAt, lastSeenAt: now };
  if (aliveForMs <= 0) data.workers.delete(workerId);
  else data.workers.set(workerId, { worker, aliveUntil: now + aliveForMs });
  const limited = [...data.jobs.values()].some((job) => isInLane(job, now));
  const deadlines = createEnds(data).nextDeadlineAt() === undefined ? undefined : true;
  return { paused: listPauses(data, undefined, now), nextTickInMs: nextTickInMs(data, now), limited, deadlines };
}

/** One pass of one chore. */
export function maintain(
  data: Data,
  { chore, completedMs, failedMs, limit }: MaintainRequest & { readonly chore: Chore },
  now: number,
): MaintainReply {
  if (chore === "retention") return expire(data, { completedMs, failedMs, limit }, now);
  if (chore === "workers") keepLimits(data, now);
  const entries = chore === "windows" ? keysThatPassed(data, now) : chore === "workers" ? deadWorkers(data, now) : [];
  for (const forget of entries.slice(0, limit)) forget();
  if (chore === "windows") {
    forgetPublications(data, now);
    forgetNotes(data);
  }
  const more = chore === "windows" && rules.forgetTicks(scheduleRows(data), limit, now);
  return { removed: 0, more: more || entries.length > limit };
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
    return (lastJobOf(data, chain).endedAt ?? now) <= now - keptMs && !isNeeded(data, chain);
  });
  const endedAt = (chain: (typeof expired)[number]) => lastJobOf(data, chain).endedAt ?? 0;
  const chains = expired.toSorted((a, b) => endedAt(a) - endedAt(b)).slice(0, limit);
  for (const chain of chains) removeChain(data, chain);
  return { removed: chains.length, more: chains.length >= limit };
}

/** For another chain, or because what its stop has started is not over. */
function isNeeded(data: Data, chain: Job): boolean {
  return (
    chainsBlockedBy(data, chain.id).length > 0 ||
    followUpsOf(data, chain)?.some(({ status }) => status === "active") === true
  );
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
