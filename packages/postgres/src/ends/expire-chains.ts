import { resultColumns, resultRow } from "../result-rows.ts";
import type { Schema } from "../schema.ts";
import { guard, now, outerFunction } from "../sql-function.ts";
import { newestJob } from "./pass-compensations.ts";
import { deadlineReason } from "./tables.ts";

/** The most chains that one call cancels. */
const mostAtOnce = 50;

/** When to look again for chains whose deadline has passed and that another transaction has locked. */
const lockedForMs = 200;

/**
 * Cancels chains whose deadline has passed. It waits for no lock: a chain that cannot be cancelled at once is left to a later call.
 * Result rows are numbered from `p_first` on. Returns when the next deadline is.
 */
export function expireChainsFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return outerFunction(schema, {
    name: "expire_chains_v1",
    parameters: "p_alone text, p_now text, p_first text",
    returns: `table(${resultColumns})`,
    declare: `  v_now double precision := ${now};
  v_n integer := p_first::integer;
  v_wait text := current_setting('lock_timeout');
  v_chain uuid;
  v_chains uuid[];
  v_locked uuid[] := '{}';
  v_next double precision;`,
    body: `${guard}
  v_chains := array(
    select d.chain_id
    from ${s}.deadline d join ${s}.open_job o on o.job_id = any(array[${newestJob(s, "d.chain_id")}])
    where d.at <= v_now order by d.at limit ${mostAtOnce} for update of o skip locked);
  foreach v_chain in array v_chains loop
    begin
      -- Locks of other rows than the open job's: of blockers of the chain, and of first rows.
      perform set_config('lock_timeout', '1', true);
      return query select * from ${s}.cancel_chains_v1(v_now,
        json_build_array(json_build_object('n', v_n, 'chain', v_chain, 'reason', ${deadlineReason}, 'own', true)));
      perform set_config('lock_timeout', v_wait, true);
      v_n := v_n + 1;
    exception when lock_not_available or deadlock_detected then
      v_locked := v_locked || v_chain;
    end;
  end loop;
  select d.at into v_next from ${s}.deadline d where d.chain_id <> all(v_locked) order by d.at limit 1;
  if v_next <= v_now and cardinality(v_chains) < ${mostAtOnce} then
    v_next := v_now + ${lockedForMs};
  elsif v_locked <> '{}' then
    v_next := least(v_next, v_now + ${lockedForMs});
  end if;
  if v_next is not null then
    return query select ${resultRow("nextDue", { dueInMs: "v_next - v_now" })};
  end if;`,
  });
}
