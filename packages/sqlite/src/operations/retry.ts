import { blockerFailureErrors } from "chainwright";
import type { OnBlockerFailure, Refusal, Reply, RetriedChain, RetryItem, StartedJob } from "chainwright";
import { chainIdOf } from "../schema.ts";
import type { Store } from "../store.ts";
import type { EndedStatus } from "../tally.ts";
import { createDeduplication } from "./deduplication.ts";
import { nothingFollowed } from "./end-chain.ts";
import type { Aftermath } from "./end-chain.ts";
import { createFindJob } from "./find-job.ts";
import type { ChainFound } from "./find-job.ts";

type Retry = (items: readonly RetryItem[], now: number) => Reply<readonly RetriedChain[]>;

interface EndedJob {
  readonly seq: number;
  readonly id: string;
  readonly type: string;
  readonly status: EndedStatus;
  readonly priority: number;
  readonly chain: number | null;
  readonly chain_id: string;
  readonly on_blocker_failure: OnBlockerFailure;
}

interface OpenBlocker {
  readonly seq: number;
  readonly id: string;
  readonly type: string;
  readonly chain_status: "active" | "failed" | "cancelled";
}

export function createRetry(store: Store): Retry {
  const { tables: t, tally } = store;
  const findJob = createFindJob(store);
  const keys = createDeduplication(store);
  const jobColumns = `j.seq, j.id, j.type, j.status, j.priority, j.chain, ${chainIdOf(t)} as chain_id, j.on_blocker_failure`;
  const endedJob = store.sql<EndedJob>(`select ${jobColumns} from ${t.job} j where j.seq = ?`);
  const failedBecauseOf = store.sql<EndedJob>(
    `select ${jobColumns} from ${t.job} j where j.seq in (select job from ${t.blocker} where chain = ?)
       and j.cause = ? and j.status = 'failed' order by j.id`,
  );
  const openBlockers = store.sql<OpenBlocker>(
    `select distinct c.seq, c.id, c.type, c.chain_status from ${t.blocker} b join ${t.job} c on c.seq = b.chain
     where b.job = ? and c.chain_status <> 'completed' order by c.id`,
  );
  const reopenJob = store.sql(
    `update ${t.job} set status = ?, blockers_left = ?, input = coalesce(?, input), attempt = 0, ended_at = null,
       started_at = null, leased_by = null, cause = null, output = null where seq = ?`,
  );
  const reopenChain = store.sql<{ dedup_key: string | null; dedup_scope: string | null; dedup_until: number | null }>(
    `update ${t.job} set chain_status = 'active', chain_ended_at = null, ended_job = null, reason = null where seq = ?
     returning dedup_key, dedup_scope, dedup_until`,
  );
  const blame = store.sql(`update ${t.job} set cause = ?, errors = ? where seq = ?`);
  const insertReady = store.sql(
    `insert into ${t.ready} (job, chain, type, priority, waiting, ready_at, attempt) values (?, ?, ?, ?, 0, ?, 0)`,
  );

  const reopen = (job: EndedJob, left: number, input: string | null, now: number): void => {
    tally.add(job.type, job.status, -1);
    reopenJob.run(left > 0 ? "blocked" : "open", left, input, job.seq);
    const chain = job.chain ?? job.seq;
    const key = reopenChain.get(chain);
    if (left === 0) insertReady.run(job.seq, chain, job.type, job.priority, now);
    if (key?.dedup_scope !== "active" || key.dedup_key === null) return;
    if (key.dedup_until !== null && key.dedup_until <= now) return;
    // A dependent that comes back does without its key when somebody else has it by now.
    if (keys.holderOfKey(key.dedup_key, now) === undefined) {
      keys.hold({ key: key.dedup_key, scope: "active", until: key.dedup_until }, chain);
    }
  };

  /** Dependents that failed because of a chain that is active again, and those that failed because of them. */
  const reblock = (chain: number, now: number, aftermath: Aftermath): void => {
    const pending = [chain];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      for (const job of failedBecauseOf.all(next, next)) {
        const open = openBlockers.all(job.seq);
        const ended = firstEnded(open);
        if (ended !== undefined && job.on_blocker_failure === "fail") {
          // Another blocker has ended too: it is the reason from now on.
          const errors = blockerFailureErrors({
            chainId: ended.id,
            typeName: ended.type,
            status: ended.chain_status,
            at: now,
          });
          blame.run(ended.seq, errors, job.seq);
          continue;
        }
        reopen(job, open.length, null, now);
        aftermath.reblocked.push({ jobId: job.id, chainId: job.chain_id, typeName: job.type });
        pending.push(job.chain ?? job.seq);
      }
    }
  };

  const refusalOf = (chain: ChainFound, now: number): Refusal | undefined => {
    const { dedup_key: key, dedup_until: until } = chain;
    if (key === null || chain.dedup_scope !== "active" || (until !== null && until <= now)) return undefined;
    const holder = keys.holderOfKey(key, now);
    if (holder === undefined || holder.seq === chain.seq) return undefined;
    return { code: "chain-not-retryable", id: chain.id, actual: chain.chain_status, references: [holder.id] };
  };

  const retryOne = (item: RetryItem, now: number): { readonly refusal: Refusal } | RetriedChain => {
    const id = item.chainId;
    const chain = findJob.chain(id);
    if (chain === undefined) return { refusal: { code: "chain-not-found", id } };
    const actual = chain.chain_status;
    const job = chain.ended_job === null || actual === "completed" ? undefined : endedJob.get(chain.ended_job);
    if (job === undefined) return { refusal: { code: "chain-not-retryable", id, actual } };
    if (item.typeName !== undefined && item.typeName !== job.type) {
      return { refusal: { code: "job-type-mismatch", id, actual: job.type } };
    }
    const refusal = refusalOf(chain, now);
    if (refusal !== undefined) return { refusal };
    const open = openBlockers.all(job.seq);
    const ended = open.filter((blocker) => blocker.chain_status !== "active").map((blocker) => blocker.id);
    if (ended.length > 0 && job.on_blocker_failure === "fail") {
      return { refusal: { code: "chain-not-retryable", id, actual, references: ended } };
    }
    reopen(job, open.length, item.input ?? null, now);
    const aftermath = nothingFollowed();
    reblock(chain.seq, now, aftermath);
    const status: StartedJob["status"] = open.length > 0 ? "blocked" : "ready";
    return { job: { jobId: job.id, chainId: id, typeName: job.type, status, dueInMs: undefined }, ...aftermath };
  };

  const retry = (items: readonly RetryItem[], now: number): Reply<readonly RetriedChain[]> => {
    const value: RetriedChain[] = [];
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

function firstEnded(blockers: readonly OpenBlocker[]) {
  for (const blocker of blockers) {
    const { chain_status: status } = blocker;
    if (status !== "active") return { ...blocker, chain_status: status };
  }
  return undefined;
}
