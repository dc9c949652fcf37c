import type { Store } from "../store.ts";

/** Forgets the memos and checkpoints of completed jobs. Reports whether there may be more of them. */
export function createForgetNotes({ tables: t, sql }: Store): (limit: number) => boolean {
  const spent = sql<{ job: number }>(`select job from ${t.spentNote} order by job limit ?`);
  const forget = sql(`delete from ${t.memo} where job = ?`);
  const isForgotten = sql(`update ${t.job} set noted = 0 where seq = ?`);
  const done = sql(`delete from ${t.spentNote} where job = ?`);
  return (limit) => {
    const jobs = spent.all(limit);
    for (const { job } of jobs) {
      forget.run(job);
      isForgotten.run(job);
      done.run(job);
    }
    return jobs.length >= limit;
  };
}
