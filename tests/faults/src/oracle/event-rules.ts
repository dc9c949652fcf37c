import { countOf } from "./rule.ts";
import type { Rule } from "./rule.ts";

/** Ends in the store, each with the event that reports it. */
const ends = (since: number): string => `
  select job_id as id, 'chain-' || chain_after as kind from fault_change
    where n > ${since} and chain_after in ('completed', 'failed', 'cancelled') and (chain_before is null or chain_before <> chain_after)
  union all
  select job_id, 'job-' || after from fault_change
    where n > ${since} and after in ('completed', 'failed', 'cancelled') and (before is null or before <> after)`;

/** The reports of the processes; a job that was continued has completed. */
const reported = (times: "times" | "calm_times"): string => `
  select id, case kind when 'job-continued' then 'job-completed' else kind end as kind, sum(${times}) as times
  from fault_reported where ${times} > 0 group by 1, 2`;
const happened = (since: number): string =>
  `select id, kind, count(*) as times from (${ends(since)}) e group by id, kind`;

/** Every report matches the store. Since `calmSince` the processes were not attacked, so from then on everything is reported. */
export function eventRules(calmSince: number): readonly Rule[] {
  return [
    {
      name: "ends reported more often than they happened",
      sql: countOf(`select t.id from (${reported("times")}) t left join (${happened(0)}) h on h.id = t.id and h.kind = t.kind
        where (t.kind like 'job-%' or t.kind in ('chain-completed', 'chain-failed', 'chain-cancelled'))
        and t.times > coalesce(h.times, 0)`),
    },
    {
      name: "ends not reported by processes that lived on",
      sql: countOf(`select h.id from (${happened(calmSince)}) h left join (${reported("calm_times")}) t on t.id = h.id and t.kind = h.kind
        where h.times > coalesce(t.times, 0)`),
    },
    {
      name: "starts reported twice, or of chains that never were",
      sql: countOf(`select id from fault_reported t where kind = 'chain-started'
        and (times > 1 or not exists (select 1 from fault_ever j where j.id = t.id))`),
    },
    {
      name: "deletions reported twice, or of chains that are there",
      sql: countOf(`select id from fault_reported t where kind = 'chain-deleted'
        and (times > 1 or exists (select 1 from fault_job j where j.id = t.id))`),
    },
  ];
}
