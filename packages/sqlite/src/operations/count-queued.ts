import { splitClaimName, type QueuedCount } from "chainwright/adapter";
import type { Store } from "../store.ts";

interface NameCount {
  readonly claim_name: string;
  readonly ready: number;
  readonly scheduled: number;
  readonly running: number;
}

const statuses = ["ready", "scheduled", "running"] as const;

/** Walks along the indexes of `createCount`. */
export function createCountQueued({ sql, tables: t }: Store): (now: number) => readonly QueuedCount[] {
  const claimable = sql<NameCount>(
    `select type_name as claim_name, coalesce(sum(leased_until > ?), 0) as running, count(*) - coalesce(sum(leased_until > ?), 0) as ready,
       0 as scheduled
     from ${t.openJob} indexed by ${t.openJob}_claim where state = 0 group by priority, type_name`,
  );
  const waiting = sql<NameCount>(
    `select type_name as claim_name, sum(due_at > ?) as scheduled, count(*) - sum(due_at > ?) as ready, 0 as running
     from ${t.openJob} indexed by ${t.openJob}_due_type where state = 1 group by type_name`,
  );
  // Those that wait for signals until some time: they are not scheduled, and are counted as that above.
  const signalled = sql<NameCount>(
    `select type_name as claim_name, 0 as ready, -sum(state = 1 and due_at > ?) as scheduled, 0 as running
     from ${t.openJob} indexed by ${t.openJob}_waits where waits is not null group by type_name`,
  );
  // Those in lanes, or before them, by the claim name of the lane.
  const inLanes = { lane: "o.state = 3 and o.lane <> 0", placed: "o.placed is not null and o.state = 4" };
  const limited = Object.entries(inLanes).map(([index, condition]) =>
    sql<NameCount>(
      `select l.name as claim_name, count(*) as ready, 0 as scheduled, 0 as running
       from ${t.openJob} o indexed by ${t.openJob}_${index} join ${t.lane} l on l.id = abs(o.lane)
       where ${condition} group by o.lane`,
    ),
  );
  return (now) => {
    // A claim name has a row for each of its priorities and lanes, and one for the jobs that are not due.
    const counts = [
      ...claimable.all(now, now),
      ...waiting.all(now, now),
      ...signalled.all(now),
      ...limited.flatMap((of) => of.all()),
    ];
    const byName = Map.groupBy(counts, (row) => row.claim_name);
    return Array.from(byName, ([name, ofName]) => {
      const sum = (status: QueuedCount["status"]) => ofName.reduce((total, row) => total + row[status], 0);
      return statuses
        .map((status) => ({ ...splitClaimName(name), status, count: sum(status) }))
        .filter(({ count }) => count > 0);
    }).flat();
  };
}
