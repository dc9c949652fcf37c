import { noteTablesOf } from "../notes/tables.ts";

/** Deletes what was noted about a job that does not exist. */
export function dropNotes(s: string): string {
  const tables = noteTablesOf(s);
  const deletes = tables.map(
    (table, n) =>
      `gone_${n} as (
  delete from ${table} n where n.job_id = $1::text::uuid and not exists (select from ${s}.job j where j.id = n.job_id) returning 1)`,
  );
  return `with ${deletes.join(", ")}
${tables.map((_, n) => `select 1 from gone_${n}`).join(" union all ")}`;
}
