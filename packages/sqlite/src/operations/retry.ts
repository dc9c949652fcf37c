import type { ChainStatus } from "chainwright";
import type { Refusal, Reply, RetryItem, RetryReply, StartedJob } from "chainwright/adapter";
import type { Store } from "../store.ts";
import { nothingFollowed } from "./end-chain.ts";
import { createFindJob } from "./find-job.ts";
import { createReopen } from "./reopen.ts";
import type { EndedJob } from "./reopen.ts";

type Retry = (items: readonly RetryItem[], now: number) => Reply<readonly RetryReply[]>;

interface Reopened {
  readonly job: EndedJob;
  /** What its chain was before. */
  readonly actual: ChainStatus;
  /** Blockers left. */
  readonly left: number;
}

export function createRetry(store: Store): Retry {
  const findJob = createFindJob(store);
  const { endedJob, openBlockers, reopen, rivalOf, reblock } = createReopen(store);

  /** Makes a chain active again, whatever its blockers. */
  const reopenOne = (item: RetryItem, now: number): { readonly refusal: Refusal } | Reopened => {
    const id = item.chainId;
    const chain = findJob.chain(id);
    if (chain === undefined) return { refusal: { code: "chain-not-found", id } };
    const actual = chain.chain_status;
    const job = chain.ended_job === null || actual === "completed" ? undefined : endedJob(chain.ended_job);
    if (job === undefined) return { refusal: { code: "chain-not-retryable", id, actual } };
    if (item.typeName !== undefined && item.typeName !== job.type) {
      return { refusal: { code: "job-type-mismatch", id, actual: job.type } };
    }
    const rival = rivalOf(chain.seq, now);
    if (rival !== undefined) return { refusal: { code: "chain-not-retryable", id, actual, references: [rival] } };
    const left = openBlockers(job.seq).length;
    reopen(job, left, { now, because: "retry", input: item.input });
    return { job, actual, left };
  };

  /** Ids of blockers that would fail the chain again at once: what failed or was cancelled and did not come back too. */
  const brokenBlockers = (job: EndedJob): readonly string[] => {
    if (job.on_blocker_failure === "wait") return [];
    const broken = openBlockers(job.seq).filter((blocker) => blocker.chain_status !== "active");
    return broken.map(({ id }) => id).sort();
  };

  const retry = (items: readonly RetryItem[], now: number): Reply<readonly RetryReply[]> => {
    const reopened: Reopened[] = [];
    // All of them go on before anything follows: one that failed because of another is retried like it, not in its way.
    for (const item of items) {
      const chain = reopenOne(item, now);
      if ("refusal" in chain) return { ok: false, refusal: chain.refusal };
      reopened.push(chain);
    }
    const value = reopened.map((chain) => ({
      job: startedJob(chain),
      ...nothingFollowed(),
      reblocked: reblock(chain.job.chain ?? chain.job.seq, now),
    }));
    for (const { job, actual } of reopened) {
      const references = brokenBlockers(job);
      if (references.length === 0) continue;
      return { ok: false, refusal: { code: "chain-not-retryable", id: job.chain_id, actual, references } };
    }
    return { ok: true, value };
  };

  return (items, now) =>
    store.attempt(
      () => retry(items, now),
      (reply) => !reply.ok,
    );
}

function startedJob({ job, left }: Reopened): StartedJob {
  const status = left > 0 ? "blocked" : "ready";
  return { jobId: job.id, chainId: job.chain_id, typeName: job.type, status, dueInMs: undefined };
}
