import type { Store } from "../store.ts";

interface ReadyRow {
  readonly job: number;
  readonly type_name: string;
  readonly priority: number;
  readonly lane: number | null;
  readonly state: number;
}

export function createCountAhead(store: Store): (jobId: string, limit: number, now: number) => number {
  const { tables: t } = store;
  const readyJob = store.sql<ReadyRow>(
    `select job, type_name, priority, lane, state from ${t.openJob}
     where job = (select seq from ${t.job} where id = ?) and (leased_until is null or leased_until <= ?)
       and (state <> 1 or due_at <= ?) and waits is null`,
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
     where state = 1 and type_name = ? and due_at <= ? and lane is null and (priority > ? or (priority = ? and job < ?)) limit ?)`,
  );
  const countInLane = store.sql<{ count: number }>(
    `select count(*) as count from (select 1 from ${t.openJob}
     where state = 3 and lane <> 0 and lane in (?, ?) and (priority > ? or (priority = ? and job < ?)) limit ?)`,
  );
  // Under limits, due, and put into their lanes by the next exchange.
  const countEntering = store.sql<{ count: number }>(
    `select count(*) as count from (select 1 from ${t.openJob} o join ${t.job} j on j.seq = o.job
     where o.state = 1 and o.type_name = ? and o.due_at <= ? and o.lane = 0
       and j.limits = (select limits from ${t.job} where seq = ?) and (o.priority > ? or (o.priority = ? and o.job < ?)) limit ?)`,
  );
  const laneOf = store.sql<{ id: number }>(
    `select l.id from ${t.lane} l where l.name = ? and l.limits = (select limits from ${t.job} where seq = ?)`,
  );
  /** Those before it in its lane: other lanes are behind other keys. */
  const countLimited = (job: ReadyRow, limit: number, now: number): number => {
    const { job: seq, type_name: name, priority } = job;
    const before = [priority, priority, seq] as const;
    const entering = countEntering.get(name, now, seq, ...before, limit)?.count ?? 0;
    const lane = laneOf.get(name, seq)?.id;
    if (lane === undefined || entering >= limit) return entering;
    return entering + (countInLane.get(lane, -lane, ...before, limit - entering)?.count ?? 0);
  };
  return (jobId, limit, now) => {
    const job = readyJob.get(jobId, now, now);
    if (job === undefined || job.state === 4) return 0;
    if (job.lane !== null && job.state !== 0) return countLimited(job, limit, now);
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
