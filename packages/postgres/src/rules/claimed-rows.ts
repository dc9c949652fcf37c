import { resultRow } from "../result-rows.ts";

/** The row of a claimed job `j`, which is ready since `t.since`, with its claim name in `t.type_name`. */
export const claimedRow = (attempt: string, fence: string, kind?: string) =>
  resultRow(
    "claimed",
    {
      jobId: "j.id",
      chainId: "j.chain_id",
      typeName: "t.type_name",
      step: "j.step",
      priority: "j.priority::integer",
      attempt,
      fence,
      createdAt: "j.created_at",
      waitedMs: "v_now - t.since",
      input: "j.input",
      errors: "j.errors",
      context: "j.context",
    },
    kind,
  );

/**
 * The row with what few claimed jobs have: a JSON array of the limits of a job `j`, those for whose key it is the probe, what it has
 * received and what it has waited for.
 */
export const claimedMore = (probes: string) =>
  resultRow("triggered", {
    jobId: "j.id",
    chainId: "j.chain_id",
    typeName: "j.type_name",
    claimName: "null",
    more: `'[' || ${["j.limits", probes, "j.received", "j.waits"].map((each) => `coalesce(${each}, 'null')`).join(" || ',' || ")} || ']'`,
  });

/** Returns the blockers of the jobs in `v_blocked`. */
export function returnBlockers(s: string): string {
  return `      if v_blocked is not null then
        -- A missing blocker has a row as well, so that the attempt fails to read it and does not get the output of another one.
        return query
        select ${resultRow("blocker", {
          jobId: "b.job_id",
          chainId: "b.chain_id",
          typeName: "f.type_name",
          createdAt: "f.created_at",
          endedAt: "e.ended_at",
          input: "f.input",
          output: "e.output",
          context: "f.context",
          version: "f.version::integer",
          outputVersion: "e.output_version::integer",
        })}
        from ${s}.blocker b
        left join ${s}.job f on f.id = any(array[b.chain_id])
        left join ${s}.job e on e.id = any(array[f.ended_job_id])
        where b.job_id = any(v_blocked) and (b.counted or not b.counted)
        order by b.job_id, b.position;
      end if;`;
}

/** Returns what the jobs in `v_limited`, which are under limits or have waited for signals, have more than others. */
export function returnLimits(s: string): string {
  return `      if v_limited is not null then
        return query
        select ${claimedMore("null")}
        from ${s}.job j where j.id = any(v_limited) and (j.limits is not null or j.waits is not null);
      end if;`;
}
