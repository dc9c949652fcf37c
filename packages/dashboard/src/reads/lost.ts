import type { LostWorkerInfo } from "chainwright";
import type { Context } from "../context.ts";
import type { HeldJobView, LostWorkersResponse } from "../protocol/overview.ts";

const mostWorkers = 50;
const mostHeld = 10;

/** Lost workers, and where the jobs are that they held. */
export async function lost({ client, clock }: Context): Promise<LostWorkersResponse> {
  const all = await client.listLostWorkers();
  const shown = all.slice(0, mostWorkers);
  const ids = [...new Set(shown.flatMap((worker) => heldFirst(worker).map(({ jobId }) => jobId)))];
  const jobs = ids.length === 0 ? [] : (await client.listJobs({ ids, limit: ids.length, mostPayloadBytes: 0 })).items;
  const places = new Map<string, HeldJobView["now"]>(
    jobs.map(({ id, chainId, typeName, status }) => [id, { chainId, typeName, status }]),
  );
  return {
    now: clock.now(),
    workers: shown.map((worker) => ({
      id: worker.id,
      name: worker.name,
      startedAt: worker.startedAt.getTime(),
      lastSeenAt: worker.lastSeenAt.getTime(),
      heldCount: worker.held?.length,
      held: heldFirst(worker).map(({ jobId, attempt }) => ({ id: jobId, attempt, now: places.get(jobId) })),
    })),
    more: all.length - shown.length,
  };
}

function heldFirst({ held = [] }: LostWorkerInfo) {
  return held.slice(0, mostHeld);
}
