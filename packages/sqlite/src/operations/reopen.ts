import { blockerFailureErrors, type DeduplicationScope, type JobRef } from "chainwright/adapter";
import type { OnBlockerFailure } from "chainwright";
import { chainIdOf } from "../schema.ts";
import type { Store } from "../store.ts";
import type { EndedStatus } from "../tally.ts";
import { createDeduplication } from "./deduplication.ts";
import type { KeyRow } from "./deduplication.ts";
import { createExpiry } from "./expiry.ts";
import { createReleases } from "./releases.ts";

/** The job that ended a chain. */
export interface EndedJob {
  readonly seq: number;
  readonly id: string;
  readonly type: string;
  readonly status: EndedStatus;
  readonly priority: number;
  readonly fence: number;
  readonly chain: number | null;
  readonly chain_id: string;
  readonly ended_at: number;
  readonly on_blocker_failure: OnBlockerFailure;
}

/** A blocker that has not completed. */
export interface OpenBlocker {
  readonly seq: number;
  readonly id: string;
  readonly type: string;
  readonly chain_status: "active" | "failed" | "cancelled";
}

export interface Reopen {
  endedJob(seq: number): EndedJob | undefined;
  openBlockers(job: number): readonly OpenBlocker[];
  /** Makes the job and its chain open again: blocked by what is `left`, or ready. */
  reopen(job: EndedJob, left: number, way: Way): void;
  /** Another chain that has taken the deduplication key of an ended one meanwhile. */
  rivalOf(chain: number, now: number): string | undefined;
  /** Blocks dependents again that failed because of a chain that is active again, and those that failed because of them. */
  reblock(chain: number, now: number): JobRef[];
}

/** How a job comes back: retried by itself, at once and perhaps with another input, or because of a blocker, as it was. */
type Way = { readonly now: number } & (
  | { readonly because: "retry"; readonly input: string | undefined }
  | { readonly because: "blocker" }
);

function statementsOf({ tables: t, sql }: Store) {
  const columns = `j.seq, j.id, j.type, j.status, j.priority, j.fence, j.chain, ${chainIdOf(t)} as chain_id, j.ended_at,
       j.on_blocker_failure`;
  return {
    endedJob: sql<EndedJob>(`select ${columns} from ${t.job} j where j.seq = ?`),
    failedBecauseOf: sql<EndedJob>(
      `select ${columns} from ${t.job} j where j.seq in (select job from ${t.blocker} where chain = ?)
         and j.cause = ? and j.status = 'failed' order by j.id`,
    ),
    openBlockers: sql<OpenBlocker>(
      `select c.seq, c.id, c.type, c.chain_status from ${t.blocker} b join ${t.job} c on c.seq = b.chain
       where b.job = ? and c.chain_status <> 'completed' group by c.seq order by min(b.position)`,
    ),
    reopenJob: sql(
      `update ${t.job} set status = ?, blockers_left = ?, input = coalesce(?, input), attempt = 0, ended_at = null,
         scheduled_at = case when ? = 'retry' then null else scheduled_at end,
         started_at = null, leased_by = null, cause = null, output = null where seq = ?`,
    ),
    keyOf: sql<{ dedup_key: string | null; dedup_scope: DeduplicationScope | null; dedup_until: number | null }>(
      `select dedup_key, dedup_scope, dedup_until from ${t.job} where seq = ?`,
    ),
    reopenChain: sql(
      `update ${t.job} set chain_status = 'active', chain_ended_at = null, ended_job = null, reason = null where seq = ?`,
    ),
    // Not among those left any more, also where its release has not come to this job yet.
    uncount: sql(
      `update ${t.blocker} set counted = 0
       where job = ? and (select chain_status from ${t.job} where seq = ${t.blocker}.chain) = 'completed'`,
    ),
    blame: sql(`update ${t.job} set cause = ?, errors = ? where seq = ?`),
    insertReady: sql(
      `insert into ${t.ready} (job, chain, type, priority, waiting, ready_at, attempt, fence) values (?, ?, ?, ?, 0, ?, 0, ?)`,
    ),
  };
}

export function createReopen(store: Store): Reopen {
  const { tally } = store;
  const keys = createDeduplication(store);
  const expiry = createExpiry(store);
  const releases = createReleases(store);
  const statements = statementsOf(store);

  const keyOf = (chain: number, now: number): KeyRow | undefined => {
    const row = statements.keyOf.get(chain);
    const { dedup_key: key = null, dedup_scope: scope = null, dedup_until: until = null } = row ?? {};
    if (key === null || scope === null || (until !== null && until <= now)) return undefined;
    return { key, scope, until };
  };

  const rivalOf = (chain: number, now: number): string | undefined => {
    const key = keyOf(chain, now);
    const holder = key === undefined ? undefined : keys.holderOfKey(key.key, now);
    return holder === undefined || holder.seq === chain ? undefined : holder.id;
  };

  const reopen: Reopen["reopen"] = (job, left, way) => {
    const { now } = way;
    const input = way.because === "retry" ? way.input : undefined;
    const chain = job.chain ?? job.seq;
    tally.add(job.type, job.status, -1);
    statements.reopenJob.run(left > 0 ? "blocked" : "open", left, input ?? null, way.because, job.seq);
    statements.reopenChain.run(chain);
    expiry.note(chain, "active", now);
    statements.uncount.run(job.seq);
    releases.drop(chain);
    if (left === 0) statements.insertReady.run(job.seq, chain, job.type, job.priority, now, job.fence);
    const key = keyOf(chain, now);
    if (key !== undefined) keys.hold(key, chain);
  };

  /** Whether another blocker of the job has ended too: it is the reason for its failure from now on. */
  const failsAnyway = (job: EndedJob, open: readonly OpenBlocker[]): boolean => {
    const other = job.on_blocker_failure === "fail" ? firstEnded(open) : undefined;
    if (other === undefined) return false;
    const { id: chainId, type: typeName, chain_status: status } = other;
    statements.blame.run(other.seq, blockerFailureErrors({ chainId, typeName, status, at: job.ended_at }), job.seq);
    return true;
  };

  return {
    endedJob: (seq) => statements.endedJob.get(seq),
    openBlockers: (job) => statements.openBlockers.all(job),
    reopen,
    rivalOf,
    reblock: (chain, now) => {
      const reblocked: JobRef[] = [];
      const chains = [chain];
      // Grows while it is walked: a list and not a recursion, for the way up may be long.
      for (const next of chains) {
        for (const job of statements.failedBecauseOf.all(next, next)) {
          const own = job.chain ?? job.seq;
          const open = statements.openBlockers.all(job.seq);
          if (rivalOf(own, now) !== undefined || failsAnyway(job, open)) continue;
          reopen(job, open.length, { now, because: "blocker" });
          reblocked.push({ jobId: job.id, chainId: job.chain_id, typeName: job.type });
          chains.push(own);
        }
      }
      return reblocked;
    },
  };
}

function firstEnded(blockers: readonly OpenBlocker[]) {
  for (const blocker of blockers) {
    const { chain_status: status } = blocker;
    if (status !== "active") return { ...blocker, chain_status: status };
  }
  return undefined;
}
