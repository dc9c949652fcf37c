import { lostError, type Fence } from "chainwright/adapter";
import type { Store } from "../store.ts";
import { createFindJob } from "./find-job.ts";

/** Throws unless a fence holds: nobody else writes before the transaction in which this is asked has ended. */
export function createHold(store: Store): (fence: Fence) => void {
  const { tables: t } = store;
  const { lostReason } = createFindJob(store);
  const held = store.sql<{ job: number }>(
    `select job from ${t.ready} where job = (select seq from ${t.job} where id = ?) and leased_by = ? and fence = ?`,
  );
  return ({ jobId, workerId, fence }) => {
    if (held.get(jobId, workerId, fence) === undefined) throw lostError(lostReason(jobId), { id: jobId });
  };
}
