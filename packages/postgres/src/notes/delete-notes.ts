/** Deletes what was noted about the jobs in `v_jobs`. */
export function deleteNotes(s: string): string {
  return `  delete from ${s}.memo m where m.job_id = any(v_jobs);
  with gone as (
    delete from ${s}.progress p where p.job_id = any(v_jobs) returning p.job_id, p.lines)
  select array_agg(g.job_id) filter (where g.lines > 0) into v_logged from gone g;
  if v_logged is not null then
    delete from ${s}.log_line l where l.job_id = any(v_logged);
  end if;`;
}
