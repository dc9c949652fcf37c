import { rules, type HeldAttempt } from "chainwright/adapter";
import { type ChainRow, type SqliteRows, chainColumnsOf } from "../rows/job-row.ts";
import type { Store } from "../store.ts";

interface LateRow extends ChainRow {
  /** Null: the chain was ended from outside, so that an attempt may still run. */
  readonly ended_by: string | null;
  readonly job_id: string;
  readonly last_by: string | null;
  readonly last_fence: number;
  readonly last_until: number;
}

/**
 * Does what follows the ends of chains that a process of the release before has written: it does not know what follows. Up to a
 * limit; reports whether there may be more.
 */
export function createLateEnds({ tables: t, sql }: Store, rows: SqliteRows): (limit: number, now: number) => boolean {
  const late = sql<LateRow>(
    `select ${chainColumnsOf("c")}, e.leased_by as ended_by, e.id as job_id,
       iif(x.last_job = e.seq, x.last_by, null) as last_by, x.last_fence, x.last_until
     from ${t.ending} x cross join ${t.job} c on c.seq = x.chain cross join ${t.job} e on e.seq = c.ended_job
     where x.stopped = 1 order by x.chain limit ?`,
  );
  const unmark = sql(`update ${t.ending} set stopped = null where chain = ?`);
  return (limit, now) => {
    const found = late.all(limit);
    for (const chain of found) {
      rules.followLate(rows, chain, { held: chain.ended_by === null ? lastAttemptOf(chain, now) : undefined, now });
      unmark.run(chain.seq);
    }
    return found.length >= limit;
  };
}

function lastAttemptOf({ job_id: jobId, ...last }: LateRow, now: number): HeldAttempt | undefined {
  const { last_by: workerId, last_fence: fence, last_until: until } = last;
  return workerId === null || until <= now ? undefined : { attempt: { jobId, workerId, fence }, until };
}
