import type { Schema } from "../schema.ts";
import { guard, now, outerFunction } from "../sql-function.ts";
import { typeOf } from "../claim-names.ts";

/** Pauses and resumes job types. It locks rows in the order of their names, so that two such calls do not wait for each other in a circle. */
export function setPausesFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return outerFunction(schema, {
    name: "set_pauses_v1",
    parameters: "p_alone text, p_now text, p_pauses text, p_resume text",
    returns: "table(is_set integer)",
    declare: `  v_now double precision := ${now};`,
    body: `${guard}
  insert into ${s}.pause (type_name, until, reason, "by", at)
  select w."typeName", v_now + w."forMs", w.reason, w."by", v_now
  from json_to_recordset(p_pauses::json) as w("typeName" text, "forMs" double precision, reason text, "by" text)
  order by w."typeName" collate "C"
  on conflict (type_name) do update set
    until = excluded.until, reason = excluded.reason, "by" = excluded."by", at = excluded.at;
  delete from ${s}.pause p
  where p.type_name = any(array(
    select r.type_name from ${s}.pause r
    where r.type_name = any(array(select json_array_elements_text(p_resume::json)))
    order by r.type_name for update));
  ${removePassedPauses(s)}
  return query select 1;`,
  });
}

/** Removes the pauses whose time has passed, without waiting for locks. There are few. */
export function removePassedPauses(s: string): string {
  return `delete from ${s}.pause p
  where p.type_name = any(array(select r.type_name from ${s}.pause r where r.until <= v_now order by r.type_name for update skip locked));`;
}

/**
 * Whether the type of a claim name is not paused, for the statements that lock jobs. A claim reads the pauses before, but each of its
 * statements sees what was committed when it began: without this, a job that was started after a pause could begin, if both came between
 * the two. Jobs that are locked by their ids were there before. The table is nearly always empty. The condition on `at` is always true,
 * and keeps the planner from the index, which has a page even then.
 */
export const isUnpaused = (s: string, claimName: string, moment: string): string =>
  `${typeOf(claimName)} <> all(array(select p.type_name from ${s}.pause p where p.at is not null and (p.until is null or p.until > ${moment})))`;
