import type { Mutant } from "../mutant.ts";

/** Failures of one kind are counted together, each once, as long as their jobs have failed. */
export const failureGroupMutants: readonly Mutant[] = [
  {
    name: "failure groups: the error that ends a job has the kind",
    in: "core:failureOutcome",
    find: "isLast: afterMs === undefined,",
    replace: "",
  },
  {
    name: "failure groups: an attempt that is tried again has no kind",
    in: "core:failureOutcome",
    find: "isLast: afterMs === undefined,",
    replace: "isLast: true,",
  },
  {
    name: "failure groups: a message that looks like a kind is none",
    in: "core:storedFailureKind",
    find: "errors?.slice(-longestEnd)",
    replace: "errors?.replaceAll('\\\\\"', '\"').slice(-longestEnd)",
  },
  {
    name: "failure groups: words with digits part no group",
    in: "core:failureKindOf",
    find: "foldMessage(said.slice(0, longestRead))",
    replace: "said.slice(0, longestRead)",
  },
  {
    name: "failure groups: the place in the code parts groups",
    in: "core:failureKindOf",
    find: 'JSON.stringify([name, folded, frame ?? ""])',
    replace: "JSON.stringify([name, folded])",
  },
  {
    name: "failure groups: in process, older failures do not count",
    in: "core:isFailure",
    find: "(row.endedAt ?? -Infinity) < since",
    replace: "(row.endedAt ?? -Infinity) < -since",
  },
];

export const sqliteFailureGroupMutants: readonly Mutant[] = [
  {
    name: "SQLite, failure groups: a retried job is in none",
    in: "sqlite:createReopens",
    find: 'if (status === "failed") failures.forget(seq);',
    replace: "",
  },
  {
    name: "SQLite, failure groups: a deleted job is in none",
    in: "sqlite:createClear",
    find: 'if (status === "failed") failures.forget(seq);',
    replace: "",
  },
  {
    name: "SQLite, failure groups: a cancelled job is in none",
    in: "sqlite:createEndJob",
    find: 'if (status === "failed") failures.note(job, errors, now);',
    replace: 'if (status !== "completed") failures.note(job, errors, now);',
  },
];

export const postgresFailureGroupMutants: readonly Mutant[] = [
  {
    name: "Postgres, failure groups: a retried job is in none",
    in: "postgres:reopenFunction",
    find: "delete from ${s}.failure k where k.chain_id = v_job.chain_id;",
    replace: "",
  },
  {
    name: "Postgres, failure groups: a deleted job is in none",
    in: "postgres:deleteChainsFunction",
    find: "delete from ${s}.failure k where k.chain_id = any(p_chains);",
    replace: "",
  },
  {
    name: "Postgres, failure groups: a cancelled job is in none",
    in: "postgres:noteStoppedFunction",
    find: "where e.status = 2 order by e.chain_id",
    replace: "where e.status > 1 order by e.chain_id",
  },
];
