import type { Fence, OpenStep, SettleReply } from "chainwright/adapter";
import type { Store } from "../store.ts";
import type { ChainHead } from "./chain-head.ts";
import type { EndChain } from "./end-chain.ts";
import { createFindJob } from "./find-job.ts";

/** The job that an outcome is about, once its target is found to hold; what it has of a head is so on a first job. */
export interface Held extends ChainHead {
  readonly chain: number;
  readonly step: number;
  readonly attempt: number;
  readonly fence: number;
  readonly leased_by: string | null;
  readonly started_at: number | null;
}

type NotFound = Exclude<SettleReply, { status: "settled" }>;

export function createFindHeld(store: Store, endChain: EndChain): (target: Fence | OpenStep) => Held | NotFound {
  const { tables: t } = store;
  const findJob = createFindJob(store);
  const heldBy = store.sql<Held>(
    `select j.seq, j.id, j.type, j.step, j.awaited, j.dedup_key, j.dedup_scope, r.chain, r.attempt, r.fence,
       r.leased_by, r.started_at
     from ${t.job} j cross join ${t.ready} r on r.job = j.seq
     where j.id = ? and r.leased_by = ? and r.fence = ?`,
  );
  const countsOf = store.sql<Pick<Held, "attempt" | "fence">>(`select attempt, fence from ${t.ready} where job = ?`);

  return (target) => {
    if ("jobId" in target) {
      const held = heldBy.get(target.jobId, target.workerId, target.fence);
      return held ?? { status: "lost", reason: findJob.lostReason(target.jobId) };
    }
    const found = findJob.openJobOf(target.chainId);
    if ("refusal" in found) return { status: "refused", refusal: found.refusal };
    const { chain, job } = found;
    if (job.type !== target.typeName) {
      return { status: "refused", refusal: { code: "job-type-mismatch", id: chain.id, actual: job.type } };
    }
    const { attempt, fence } = countsOf.get(job.seq) ?? job;
    const ofJob = { seq: job.seq, id: job.id, type: job.type, step: job.step, attempt, fence };
    return { ...endChain.head(chain.seq), chain: chain.seq, ...ofJob, leased_by: null, started_at: null };
  };
}
