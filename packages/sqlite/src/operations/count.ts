import type { JobCount, JobStatus } from "chainwright";
import type { Store } from "../store.ts";
import type { EndedStatus } from "../tally.ts";

interface HotCount {
  readonly type: string;
  readonly status: JobStatus;
  readonly count: number;
  readonly oldest: number;
}

export function createCount(store: Store): (now: number) => readonly JobCount[] {
  const { tables: t } = store;
  const hot = store.sql<HotCount>(
    `select type, case when leased_until > ? then 'running' when waiting = 1 and ready_at > ? then 'scheduled'
         else 'ready' end as status,
       count(*) as count, min(coalesce(leased_until, ready_at)) as oldest
     from ${t.ready} group by 1, 2 order by 1, 2`,
  );
  const blocked = store.sql<{ type: string; count: number }>(
    `select type, count(*) as count from ${t.job} where status = 'blocked' group by type order by type`,
  );
  const ended = store.sql<{ type: string; status: EndedStatus; count: number }>(
    `select type, status, count from ${t.tally} where count > 0 order by type, status`,
  );
  return (now) => [
    ...hot.all(now, now).map(({ type, status, count, oldest }) => ({
      typeName: type,
      status,
      count,
      oldestReadyMs: status === "ready" ? Math.max(0, now - oldest) : undefined,
    })),
    ...blocked.all().map(({ type, count }) => notReady(type, "blocked", count)),
    ...ended.all().map(({ type, status, count }) => notReady(type, status, count)),
  ];
}

function notReady(typeName: string, status: JobStatus, count: number): JobCount {
  return { typeName, status, count, oldestReadyMs: undefined };
}
