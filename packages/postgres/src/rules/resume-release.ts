import type { Schema } from "../schema.ts";
import { resultColumns, resultRow } from "../result-rows.ts";
import { mostAtOnce } from "./release.ts";
import { guard, innerFunction, now, outerFunction } from "../sql-function.ts";

/**
 * Continues the releases that earlier calls have left in the table `release` from this position on, the oldest first. Two callers never
 * take the same row, and what is not finished goes back behind the others. Result rows have the number -1, because they are about no
 * outcome of the caller.
 *
 * A chain cannot be retried while it is released here: its first row is locked.
 */
export function resumeReleaseFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return innerFunction(schema, {
    name: "resume_release_v2",
    parameters: "p_now double precision, p_from bigint",
    returns: `table(${resultColumns})`,
    declare: `  v_completed uuid[];
  v_completed_from uuid[];
  v_completed_until uuid[];
  v_broken uuid[];
  v_broken_from uuid[];
  v_broken_until uuid[];
  v_taken integer;`,
    body: `  with due as materialized (
    select r.position from ${s}.release r join ${s}.job f on f.id = any(array[r.chain_id])
    where r.position >= p_from
    order by r.position limit ${mostAtOnce} for update of r skip locked for share of f skip locked),
  taken as (
    delete from ${s}.release r using due d where r.position = any(array[d.position])
    returning r.position, r.chain_id, r.from_id, r.until_id)
  select count(*),
    array_agg(t.chain_id order by t.position) filter (where f.chain_status = 1),
    array_agg(t.from_id order by t.position) filter (where f.chain_status = 1),
    array_agg(t.until_id order by t.position) filter (where f.chain_status = 1),
    array_agg(t.chain_id order by t.position) filter (where f.chain_status > 1),
    array_agg(t.from_id order by t.position) filter (where f.chain_status > 1),
    array_agg(t.until_id order by t.position) filter (where f.chain_status > 1)
  into v_taken, v_completed, v_completed_from, v_completed_until, v_broken, v_broken_from, v_broken_until
  from taken t join ${s}.job f on f.id = any(array[t.chain_id]);
  if v_taken > 0 then
    return query select * from ${s}.release_v1(p_now,
      v_completed, array_fill(-1, array[coalesce(cardinality(v_completed), 0)]),
      v_broken, array_fill(-1, array[coalesce(cardinality(v_broken), 0)]),
      v_completed_from, v_completed_until, v_broken_from, v_broken_until);
  end if;
  return query select ${resultRow("resumed", { taken: "v_taken" })};`,
  });
}

/** The same for an exchange that claims nothing; a claim does it as well. */
export function resumeReleaseAloneFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return outerFunction(schema, {
    name: "resume_release_alone_v1",
    parameters: "p_alone text, p_now text",
    returns: `table(${resultColumns})`,
    declare: `  v_now double precision := ${now};`,
    body: `${guard}
  if exists (select from ${s}.release) then
    return query select * from ${s}.resume_release_v2(v_now, 0);
  end if;`,
  });
}
