import type { Refusal, Reply, RetryReply, RetryItem, StartedJob } from "chainwright";
import type { Store } from "../store.ts";
import { createDeduplication } from "./deduplication.ts";
import { createFindJob } from "./find-job.ts";
import type { ChainFound } from "./find-job.ts";
import { createReopen } from "./reopen.ts";

type Retry = (items: readonly RetryItem[], now: number) => Reply<readonly RetryReply[]>;

export function createRetry(store: Store): Retry {
  const findJob = createFindJob(store);
  const keys = createDeduplication(store);
  const { endedJob, openBlockers, reopen, reblock } = createReopen(store);

  const refusalOf = (chain: ChainFound, now: number): Refusal | undefined => {
    const { dedup_key: key, dedup_until: until } = chain;
    if (key === null || chain.dedup_scope !== "active" || (until !== null && until <= now)) return undefined;
    const holder = keys.holderOfKey(key, now);
    if (holder === undefined || holder.seq === chain.seq) return undefined;
    return { code: "chain-not-retryable", id: chain.id, actual: chain.chain_status, references: [holder.id] };
  };

  const retryOne = (item: RetryItem, now: number): { readonly refusal: Refusal } | RetryReply => {
    const id = item.chainId;
    const chain = findJob.chain(id);
    if (chain === undefined) return { refusal: { code: "chain-not-found", id } };
    const actual = chain.chain_status;
    const job = chain.ended_job === null || actual === "completed" ? undefined : endedJob(chain.ended_job);
    if (job === undefined) return { refusal: { code: "chain-not-retryable", id, actual } };
    if (item.typeName !== undefined && item.typeName !== job.type) {
      return { refusal: { code: "job-type-mismatch", id, actual: job.type } };
    }
    const refusal = refusalOf(chain, now);
    if (refusal !== undefined) return { refusal };
    const open = openBlockers(job.seq);
    const ended = open.filter((blocker) => blocker.chain_status !== "active").map((blocker) => blocker.id);
    if (ended.length > 0 && job.on_blocker_failure === "fail") {
      return { refusal: { code: "chain-not-retryable", id, actual, references: ended } };
    }
    reopen(job, open.length, { now, input: item.input });
    const reblocked = reblock(chain.seq, now);
    const status: StartedJob["status"] = open.length > 0 ? "blocked" : "ready";
    const ref = { jobId: job.id, chainId: id, typeName: job.type };
    return { job: { ...ref, status, dueInMs: undefined }, unblocked: [], failed: [], reblocked };
  };

  const retry = (items: readonly RetryItem[], now: number): Reply<readonly RetryReply[]> => {
    const value: RetryReply[] = [];
    for (const item of items) {
      const retried = retryOne(item, now);
      if ("refusal" in retried) return { ok: false, refusal: retried.refusal };
      value.push(retried);
    }
    return { ok: true, value };
  };

  return (items, now) =>
    store.attempt(
      () => retry(items, now),
      (reply) => !reply.ok,
    );
}
