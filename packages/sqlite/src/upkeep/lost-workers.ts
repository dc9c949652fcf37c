import { lostWorkerLimits } from "chainwright/adapter";
import type { Store } from "../store.ts";

/** Whether a row of the workers has not been heard of for half of the time for which its last heartbeat is valid. Parameters: who asks, and now. */
export const isSilent = (row: string): string =>
  `${row}.held is null and ${row}.id <> ? and (${row}.last_seen_at + ${row}.alive_until) / 2 <= ?`;

/** Notes what silent workers hold. It reads all open jobs, once for each worker that is lost. */
export function createNoteHeld(store: Store): (noticedBy: string, now: number) => void {
  const { tables: t, sql } = store;
  const note = sql(
    `update ${t.worker} as w set held = h.held
     from (
       select o.leased_by, json_group_array(json_object('jobId', j.id, 'attempt', o.attempt, 'startedAt', o.started_at,
         'leasedUntil', o.leased_until)) as held
       from (
         select *, row_number() over (partition by leased_by order by job) as place from ${t.openJob}
         where leased_by in (select w.id from ${t.worker} w where ${isSilent("w")})) o
       join ${t.job} j on j.seq = o.job
       where o.place <= ${lostWorkerLimits.mostHeld} group by o.leased_by) h
     where h.leased_by = w.id and ${isSilent("w")}`,
  );
  const noteOthers = sql(`update ${t.worker} as w set held = '[]' where ${isSilent("w")}`);
  return (noticedBy, now) => {
    note.run(noticedBy, now, noticedBy, now);
    noteOthers.run(noticedBy, now);
  };
}

/** Deletes up to so many lost workers that are old. Returns whether there may be more. */
export function createForgetLostWorkers(store: Store): (limit: number, now: number) => boolean {
  const { tables: t, sql } = store;
  const forget = sql(
    `delete from ${t.worker} where id in (
       select id from (
         select id, alive_until, row_number() over (order by alive_until desc, id) as place from ${t.worker} where alive_until <= ?)
       where place > ${lostWorkerLimits.mostWorkers} or alive_until <= ? order by alive_until, id limit ?)`,
  );
  const changes = sql<{ count: number }>("select changes() as count");
  return (limit, now) => {
    forget.run(now, now - lostWorkerLimits.keptMs, limit);
    return (changes.get()?.count ?? 0) >= limit;
  };
}
