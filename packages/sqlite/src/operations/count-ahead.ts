import type { Store } from "../store.ts";

export function createCountAhead(store: Store): (jobId: string, limit: number, now: number) => number {
  const { tables: t } = store;
  const readyJob = store.sql<{ job: number; type_name: string; priority: number }>(
    `select job, type_name, priority from ${t.openJob}
     where job = (select seq from ${t.job} where id = ?) and (leased_until is null or leased_until <= ?)
       and (state = 0 or due_at <= ?)`,
  );
  const priorities = store.sql<{ priority: number }>(
    `select priority from ${t.openJob} where state = 0 and type_name = ? and priority > ? and priority < ?
     order by priority desc limit 1`,
  );
  const claimable = `state = 0 and type_name = ? and priority = ? and (leased_until is null or leased_until <= ?)`;
  const countAt = store.sql<{ count: number }>(
    `select count(*) as count from (select 1 from ${t.openJob} where ${claimable} and job < ? limit ?)`,
  );
  // Due, and promoted by the next exchange.
  const countDue = store.sql<{ count: number }>(
    `select count(*) as count from (select 1 from ${t.openJob}
     where state = 1 and type_name = ? and due_at <= ? and (priority > ? or (priority = ? and job < ?)) limit ?)`,
  );
  return (jobId, limit, now) => {
    const job = readyJob.get(jobId, now, now);
    if (job === undefined) return 0;
    const { type_name: typeName, priority } = job;
    let count = countDue.get(typeName, now, priority, priority, job.job, limit)?.count ?? 0;
    const add = (at: number, before: number) => {
      if (count < limit) count += countAt.get(typeName, at, now, before, limit - count)?.count ?? 0;
    };
    for (let above = priorities.get(typeName, priority, 1_000_000); above !== undefined;) {
      add(above.priority, Number.MAX_SAFE_INTEGER);
      above = priorities.get(typeName, priority, above.priority);
    }
    add(priority, job.job);
    return count;
  };
}
