import type { JobRecord, PayloadQuery } from "chainwright/adapter";
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

/**
 * A payload column, without those that a list does not read. SQLite knows the size from the row's header, so that the pages of a large
 * payload are not read. The number is one that the engine has checked.
 */
export function payloadColumns(table: string, column: "input" | "output", most: number | undefined): string {
  if (most === undefined) return `${table}.${column}`;
  const bytes = `octet_length(${table}.${column})`;
  return `iif(${bytes} <= ${most}, ${table}.${column}, null) as ${column}, iif(${bytes} > ${most}, ${bytes}, null) as ${column}_bytes`;
}

/** Jobs as {@link JobRow}; `where` and the following clauses can use `j`, and `r`, which is null after the end of a job. */
export function selectJobs(t: Tables, { mostPayloadBytes: most }: PayloadQuery = {}): string {
  // What a job has received are payloads too, and no list shows them.
  const received = most === undefined ? "j.received" : "null as received";
  return `select j.id, ${chainIdOf(t)} as chain_id, j.type_name, j.step, ${jobStatus} as status, j.priority, ${payloadColumns("j", "input", most)}, ${payloadColumns("j", "output", most)},
       j.errors, coalesce(o.attempt, j.attempt) as attempt, j.created_at, o.due_at,
       coalesce(o.leased_by, j.leased_by) as leased_by, coalesce(o.started_at, j.started_at) as started_at, o.leased_until,
       j.ended_at,
       (select n.id from ${t.job} n where n.seq = j.next) as next_id, j.on_blocker_failure, j.blockers, j.blockers_left, j.version, j.pool,
       j.output_version, case when o.fence = 0 then j.key_scope end as gathers_by, j.key_until, j.limits,
       j.waits, ${received}
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
