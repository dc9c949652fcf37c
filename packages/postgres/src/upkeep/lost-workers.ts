import { lostWorkerLimits, type CallOptions } from "chainwright/adapter";
import { momentOf, wholeMs } from "../rows.ts";
import { momentParameter, type Store } from "../store.ts";

/** Whether a row of the workers has not been heard of for half of the time for which its last heartbeat is valid. */
export const isSilent = (row: string, { askedBy, now }: Record<"askedBy" | "now", string>): string =>
  `${row}.held is null and ${row}.id <> ${askedBy}::text and (${row}.last_seen_at + ${row}.alive_until) / 2 <= ${now}`;

/** Notes what silent workers hold. It reads all open jobs, once for each worker that is lost, and waits for no lock. */
export async function noteHeld<Tx>(
  { schema: { quoted: s }, run }: Store<Tx>,
  noticedBy: string,
  { tx, now }: CallOptions<Tx>,
): Promise<void> {
  const text = `with moment as (select ${momentOf("$1")} as now),
silent as materialized (
  select w.id from ${s}.worker w, moment where ${isSilent("w", { askedBy: "$2", now: "moment.now" })}
  order by w.id for no key update of w skip locked),
leased as (
  select o.leased_by, json_build_object('jobId', o.job_id, 'attempt', o.attempt, 'startedAt', ${wholeMs("o.started_at")},
    'leasedUntil', ${wholeMs("o.leased_until")}) as job,
    row_number() over (partition by o.leased_by order by o.job_id) as place
  from ${s}.open_job o where o.leased_by in (select l.id from silent l)),
held as (
  select l.leased_by, json_agg(l.job)::text as jobs from leased l where l.place <= ${lostWorkerLimits.mostHeld} group by l.leased_by)
update ${s}.worker w set held = coalesce(h.jobs, '[]') from silent l left join held h on h.leased_by = l.id where w.id = l.id`;
  await run(tx, { text, parameters: [momentParameter(now), noticedBy], prepare: true });
}

/** Plpgsql that deletes up to so many lost workers that are old. */
export function forgetLostWorkers(s: string, { now, limit }: Record<"now" | "limit", string>): string {
  return `delete from ${s}.worker w
  where w.id = any(array(
    select p.id from ${s}.worker p
    where p.id in (
      select x.id from (
        select o.id, o.alive_until, row_number() over (order by o.alive_until desc, o.id) as place
        from ${s}.worker o where o.alive_until <= ${now}) x
      where x.place > ${lostWorkerLimits.mostWorkers} or x.alive_until <= ${now} - ${lostWorkerLimits.keptMs})
    order by p.id limit ${limit} for update skip locked));`;
}
