import type { JobRecord } from "chainwright/adapter";
import { jobRecord } from "../result-rows.ts";
import type { JobRow } from "../result-rows.ts";
import { chainIdOf } from "../schema.ts";
import type { Tables } from "../schema.ts";
import type { Store } from "../store.ts";

/** The status as the port defines it. Its parameters are `now`, twice. */
export const jobStatus = `case when j.status <> 'open' then j.status
       when o.leased_until > ? then 'running'
       when o.state = 5 or o.state = 1 and o.due_at > ? then iif(o.waits is null, 'scheduled', 'waiting')
       else 'ready' end`;

/** Jobs as {@link JobRow}; `where` and the following clauses can use `j`, and `r`, which is null after the end of a job. */
export function selectJobs(t: Tables): string {
  return `select j.id, ${chainIdOf(t)} as chain_id, j.type_name, j.step, ${jobStatus} as status, j.priority, j.input, j.output,
       j.errors, coalesce(o.attempt, j.attempt) as attempt, j.created_at, o.due_at,
       coalesce(o.leased_by, j.leased_by) as leased_by, coalesce(o.started_at, j.started_at) as started_at, o.leased_until,
       j.ended_at,
       (select n.id from ${t.job} n where n.seq = j.next) as next_id, j.on_blocker_failure, j.blockers, j.blockers_left, j.version, j.pool,
       j.output_version, case when o.fence = 0 then j.key_scope end as gathers_by, j.key_until, j.limits,
       j.waits, j.received
     from ${t.job} j left join ${t.openJob} o on o.job = j.seq`;
}

function createReadJobs(store: Store): (id: string, now: number) => JobRecord | undefined {
  const byId = store.sql<JobRow>(`${selectJobs(store.tables)} where j.id = ?`);
  return (id, now) => {
    const row = byId.get(now, now, id);
    return row === undefined ? undefined : jobRecord(row);
  };
}

export function createGetJobs(
  store: Store,
): (ids: readonly string[], now: number) => readonly (JobRecord | undefined)[] {
  const readJob = createReadJobs(store);
  return (ids, now) => ids.map((id) => readJob(id, now));
}
