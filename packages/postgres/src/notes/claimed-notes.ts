import { resultRow } from "../result-rows.ts";

/** Which of the locked rows `c` have memos or a checkpoint, for `returnNotes`. */
export const notedJobs = "array_agg(c.job_id) filter (where c.noted)";

/**
 * Returns what the jobs in `v_noted` have noted. It is read in a statement after the one that locks their rows, because an earlier
 * snapshot may be without what was committed before that.
 */
export function returnNotes(s: string): string {
  return `      if v_noted <> '{}' then
        return query
        select ${resultRow("triggered", {
          jobId: "m.job_id",
          chainId: "m.job_id",
          typeName: "''",
          claimName: "null",
          more: "'[null,null,null,null,' || json_agg(json_build_array(m.name, m.value)) || ']'",
        })}
        from ${s}.memo m where m.job_id = any(v_noted) group by m.job_id;
      end if;`;
}
