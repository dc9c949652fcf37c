import type { Schema } from "../schema.ts";
import { innerFunction } from "../sql-function.ts";
import { passColumns } from "../upkeep/chore.ts";

/** An expression for `returning` of a statement that deletes a row `o` of `open_job`, because the job may have completed. */
export const spendsNotes = (s: string) => `case when o.noted then ${s}.note_spent_v1(o.job_id) end`;

/** Notes that a job with memos has ended. Upkeep forgets them, so that an end costs no more the more was noted. */
export function noteSpentFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return innerFunction(schema, {
    name: "note_spent_v1",
    parameters: "p_job uuid",
    returns: "void",
    declare: "",
    body: `  insert into ${s}.spent_note (job_id) values (p_job) on conflict do nothing;`,
  });
}

/** Forgets the memos and checkpoints of completed jobs; those of others stay for a retry, which ends them once more. */
export function forgetNotesFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return innerFunction(schema, {
    name: "forget_notes_v1",
    parameters: "p_limit integer",
    returns: `table(${passColumns})`,
    declare: `  v_jobs uuid[];`,
    body: `  v_jobs := array(select n.job_id from ${s}.spent_note n order by n.job_id limit p_limit for update skip locked);
  if v_jobs <> '{}' then
    delete from ${s}.memo m
    where m.job_id = any(array(select j.id from ${s}.job j where j.id = any(v_jobs) and j.status = 1));
    delete from ${s}.spent_note n where n.job_id = any(v_jobs);
  end if;
  return query select 0, (cardinality(v_jobs) >= p_limit)::integer;`,
  });
}
