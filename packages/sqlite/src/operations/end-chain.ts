import { blockerFailureErrors } from "chainwright";
import type { JobRef, StartedJob } from "chainwright";
import { corruptError } from "../errors.ts";
import { chainIdOf } from "../schema.ts";
import type { Store } from "../store.ts";
import type { EndedStatus } from "../tally.ts";
import { createDeduplication } from "./deduplication.ts";
import { createExpiry } from "./expiry.ts";
import { createReleaseDependent, refOf } from "./release-dependent.ts";
import type { Dependent } from "./release-dependent.ts";

/** A job that ends its chain, and how. */
export interface ChainEnd {
  readonly seq: number;
  readonly typeName: string;
  readonly status: EndedStatus;
  /** JSON text. */
  readonly output: string | null;
  /** JSON text; null: what is on record stays. */
  readonly errors: string | null;
  readonly reason: string | null;
  /** The chain whose end brought this one about. */
  readonly cause: number | null;
  readonly attempt: number;
  readonly fence: number;
  readonly leasedBy: string | null;
  readonly startedAt: number | null;
}

/** What a chain's first job says about it. */
export interface ChainHead {
  readonly seq: number;
  readonly id: string;
  readonly type: string;
  readonly awaited: number | null;
  readonly dedup_key: string | null;
  readonly dedup_scope: string | null;
}

/** What followed; filled as it happens. */
export interface Aftermath {
  readonly unblocked: StartedJob[];
  readonly failed: JobRef[];
  readonly reblocked: JobRef[];
}

export interface EndChain {
  head(chain: number): ChainHead;
  /** Ends the job and its chain. */
  write(job: ChainEnd, chain: number, now: number): void;
  /** What follows from a chain's end: its key is free, what waits for it is counted down or fails, and so on upwards. */
  follow(head: ChainHead, status: EndedStatus, now: number): Aftermath;
  /** Both. */
  end(job: ChainEnd, head: ChainHead, now: number): Aftermath;
  /** The same for a job that was written as failed: the chain only. */
  endFailed(head: ChainHead, job: number, now: number): Aftermath;
}

export const nothingFollowed = (): Aftermath => ({ unblocked: [], failed: [], reblocked: [] });

/** `returning` would spare statements and cost more than they do: 1.4 us here, against 1 us for a read. */
function statementsOf({ tables: t, sql }: Store) {
  const endJob = `status = ?, output = ?, errors = coalesce(?, errors), cause = ?, attempt = ?, fence = ?,
       leased_by = ?, started_at = ?, ended_at = ?`;
  const endsChain = `chain_status = ?, chain_ended_at = ?, ended_job = ?, reason = ?`;
  return {
    endOnly: sql(`update ${t.job} set ${endJob}, ${endsChain} where seq = ?`),
    endLast: sql(`update ${t.job} set ${endJob} where seq = ?`),
    endFirst: sql(`update ${t.job} set ${endsChain} where seq = ?`),
    readHead: sql<ChainHead>(`select seq, id, type, awaited, dedup_key, dedup_scope from ${t.job} where seq = ?`),
    dependentsOf: sql<Dependent>(
      `select j.seq, j.id, j.type, coalesce(j.chain, j.seq) as chain, ${chainIdOf(t)} as chain_id, j.priority, j.attempt,
       j.fence, j.scheduled_at, j.on_blocker_failure
     from ${t.job} j where j.seq in (select job from ${t.blocker} where chain = ?) and j.status = 'blocked' order by j.id`,
    ),
  };
}

export function createEndChain(store: Store): EndChain {
  const { tally } = store;
  const { free } = createDeduplication(store);
  const { endOnly, endLast, endFirst, readHead, dependentsOf } = statementsOf(store);
  const release = createReleaseDependent(store);
  const expiry = createExpiry(store);

  const head = (chain: number): ChainHead => {
    const row = readHead.get(chain);
    if (row === undefined) throw corruptError(`the first job of chain ${chain} is missing`);
    return row;
  };

  const write = (job: ChainEnd, chain: number, now: number): void => {
    const { seq, status } = job;
    tally.add(job.typeName, status, 1);
    const { output, errors, cause, attempt, fence, leasedBy, startedAt } = job;
    const ofJob = [status, output, errors, cause, attempt, fence, leasedBy, startedAt, now] as const;
    if (seq === chain) {
      endOnly.run(...ofJob, status, now, seq, job.reason, seq);
    } else {
      endLast.run(...ofJob, seq);
      endFirst.run(status, now, seq, job.reason, chain);
    }
    if (status !== "completed") expiry.note(chain, status, now);
  };

  const follow = (first: ChainHead, firstStatus: EndedStatus, now: number): Aftermath => {
    const aftermath = nothingFollowed();
    const ends = [{ chain: first, status: firstStatus }];
    // Grows while it is walked: a list and not a recursion, for the row of dependents may be long.
    for (const { chain, status } of ends) {
      if (chain.dedup_key !== null && chain.dedup_scope === "active") free(chain.dedup_key, chain.seq);
      if (chain.awaited === null) continue;
      for (const job of dependentsOf.all(chain.seq)) {
        if (status === "completed") release(job, now, aftermath.unblocked);
        else if (job.on_blocker_failure === "fail") {
          const errors = blockerFailureErrors({ chainId: chain.id, typeName: chain.type, status, at: now });
          write(failedBy(job, chain.seq, errors), job.chain, now);
          aftermath.failed.push(refOf(job));
          ends.push({ chain: head(job.chain), status: "failed" });
        }
      }
    }
    return aftermath;
  };

  return {
    head,
    write,
    follow,
    end: (job, chain, now) => {
      write(job, chain.seq, now);
      return follow(chain, job.status, now);
    },
    endFailed: (chain, job, now) => {
      endFirst.run("failed", now, job, null, chain.seq);
      expiry.note(chain.seq, "failed", now);
      return follow(chain, "failed", now);
    },
  };
}

function failedBy(job: Dependent, cause: number, errors: string): ChainEnd {
  return {
    seq: job.seq,
    typeName: job.type,
    status: "failed",
    output: null,
    errors,
    reason: null,
    cause,
    attempt: job.attempt,
    fence: job.fence,
    leasedBy: null,
    startedAt: null,
  };
}
