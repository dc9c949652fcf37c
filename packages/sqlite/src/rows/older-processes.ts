import { claimNameOf } from "../claim-names.ts";
import type { Store } from "../store.ts";

/**
 * A process of the release before, with schema version 1, does not know versions and pools. If it releases or retries such a job, it
 * writes the job under its type alone, where workers would claim it that cannot read it. Triggers correct that. They would make
 * every start 7 % dearer, so they are created with the first job that has a version or a pool.
 */
export function createCorrection({ tables: t, sql }: Store): () => void {
  const isCreated = sql(`select 1 from ${t.meta} where key = 'claim_names'`);
  const note = sql(`insert into ${t.meta} (key, value) values ('claim_names', '1')`);
  const correctName = sql(
    `create trigger ${t.openJob}_claim_name after insert on ${t.openJob}
     when exists (select 1 from ${t.job} j where j.seq = new.job and ${claimNameOf("j")} <> new.type_name)
     begin
       update ${t.openJob} set type_name = (select ${claimNameOf("j")} from ${t.job} j where j.seq = new.job) where job = new.job;
     end`,
  );
  // The input of such a process has version 1. A retry of this release that keeps the version forgets it before.
  const correctVersion = sql(
    `create trigger ${t.job}_input_version after update of input on ${t.job}
     when old.version is not null and new.version is old.version and new.input <> old.input
     begin
       update ${t.job} set version = null where seq = new.seq;
     end`,
  );
  return () => {
    if (isCreated.get() !== undefined) return;
    correctName.run();
    correctVersion.run();
    note.run();
  };
}
