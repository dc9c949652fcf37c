import type { Mutant } from "../mutant.ts";

/** Keep an attempt on Postgres from noting something that the next one does not see, or about a job that is no longer its own. */
export const postgresNoteMutants: readonly Mutant[] = [
  {
    name: "Postgres, notes: the first memo of a name stays",
    in: "postgres:writeNotes",
    find: "on conflict (job_id, name) do nothing",
    replace: "on conflict (job_id, name) do update set value = excluded.value",
  },
  {
    name: "Postgres, notes: an attempt whose lease has run out notes nothing",
    in: "postgres:writeNotes",
    find: " and o.leased_until > v_now",
    replace: "",
  },
  {
    name: "Postgres, notes: an earlier claim notes nothing",
    in: "postgres:writeNotes",
    find: " and o.fence = i.fence",
    replace: "",
  },
  {
    name: "Postgres, notes: another worker notes nothing",
    in: "postgres:writeNotes",
    find: "o.leased_by = i.worker and ",
    replace: "",
  },
  {
    name: "Postgres, notes: the last checkpoint of a call counts",
    in: "postgres:writeNotes",
    find: "where h.checkpoint is not null order by h.id, h.n desc",
    replace: "where h.checkpoint is not null order by h.id, h.n",
  },
  {
    name: "Postgres, notes: the number of lines is on record",
    in: "postgres:writeNotes",
    find: "lines = p.lines + excluded.lines",
    replace: "lines = excluded.lines",
  },
  {
    name: "Postgres, notes: claims read the memos of a job that has some",
    in: "postgres:writeNotes",
    find: "update ${s}.open_job o set noted = true",
    replace: "update ${s}.open_job o set noted = null",
  },
  {
    name: "Postgres, notes: no one claims a job while a transaction notes something about it",
    in: "postgres:lockJobs",
    find: "where o.job_id = any(v_jobs) order by o.job_id for key share;",
    replace: "where o.job_id = any(v_jobs) order by o.job_id;",
  },
  {
    name: "Postgres, notes: those of failed jobs stay",
    in: "postgres:forgetNotesFunction",
    find: " and j.status = 1",
    replace: "",
  },
  {
    name: "Postgres, notes: those of a deleted job go with it",
    in: "postgres:deleteNotes",
    find: "delete from ${s}.memo m where m.job_id = any(v_jobs);",
    replace: "",
  },
];
