import type { CallOptions, LockHolder } from "chainwright/adapter";
import type { Store } from "../store.ts";

/** The most that are returned, because one lock can have thousands of holders. */
const most = 20;

/**
 * The sessions for whose transactions calls of this store wait, in any process. It looks at sessions that wait in a function of the
 * schema. Holders that wait themselves come last.
 *
 * `pg_blocking_pids` locks the server's lock table for a moment, so do not call this often.
 */
export async function lockHolders<Tx>(
  { schema, run }: Store<Tx>,
  { tx }: CallOptions<Tx>,
): Promise<readonly LockHolder[]> {
  const text = `with waiting as (
  select a.pid from pg_catalog.pg_stat_activity a
  where a.wait_event_type = 'Lock' and a.datname = pg_catalog.current_database() and pg_catalog.strpos(a.query, $1::text) > 0),
holding as (select distinct b.pid from waiting w, pg_catalog.unnest(pg_catalog.pg_blocking_pids(w.pid)) as b(pid))
select h.pid::text, a.application_name, (date_part('epoch', pg_catalog.clock_timestamp() - a.xact_start) * 1000)::text
from holding h left join pg_catalog.pg_stat_activity a on a.pid = h.pid
where h.pid > 0
order by h.pid in (select w.pid from waiting w), a.xact_start nulls last, h.pid limit ${most}`;
  const rows = await run(tx, { text, parameters: [`${schema.quoted}.`], prepare: false });
  return rows.map(([pid, application, openMs]) => ({
    processId: Number(pid),
    application: typeof application === "string" && application !== "" ? application : undefined,
    openMs: openMs === null ? undefined : Math.round(Number(openMs)),
  }));
}
