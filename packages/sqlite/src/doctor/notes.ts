import type { RepairOutcome } from "chainwright/adapter";
import { noteTablesOf } from "../notes/tables.ts";
import type { Store } from "../store.ts";

/** Deletes what was noted about a job that does not exist. */
export function createDropNotes({ tables: t, sql }: Store): (job: number) => RepairOutcome {
  const drops = noteTablesOf(t).map((table) =>
    sql(`delete from ${table} where job = ? and not exists (select 1 from ${t.job} j where j.seq = ${table}.job)`),
  );
  return (job) => {
    const dropped = drops.map((drop) => Number(drop.run(job).changes));
    return dropped.some((count) => count > 0) ? "repaired" : "gone";
  };
}
