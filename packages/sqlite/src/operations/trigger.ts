import type { JobRef, Reply } from "chainwright/adapter";
import type { Store } from "../store.ts";
import { createReadJobs } from "./get-jobs.ts";

export function createTrigger(store: Store): (jobIds: readonly string[], now: number) => Reply<readonly JobRef[]> {
  const { tables: t } = store;
  const readJob = createReadJobs(store);
  const makeReady = store.sql(
    `update ${t.ready} set waiting = 0, ready_at = ? where job = (select seq from ${t.job} where id = ?)`,
  );
  const trigger = (jobIds: readonly string[], now: number): Reply<readonly JobRef[]> => {
    const value: JobRef[] = [];
    for (const id of jobIds) {
      const job = readJob(id, now);
      if (job === undefined) return { ok: false, refusal: { code: "job-not-found", id } };
      if (job.status !== "scheduled") {
        return { ok: false, refusal: { code: "job-not-scheduled", id, actual: job.status } };
      }
      makeReady.run(now, id);
      value.push({ jobId: id, chainId: job.chainId, typeName: job.typeName });
    }
    return { ok: true, value };
  };
  return (jobIds, now) =>
    store.attempt(
      () => trigger(jobIds, now),
      (reply) => !reply.ok,
    );
}
