import type { Mutant } from "../mutant.ts";

/** What lets processes of the last release work on a schema that this one has migrated. On a new schema nothing fails without it. */
export const postgresLastReleaseMutants: readonly Mutant[] = [
  {
    name: "Postgres, last release: a function keeps its parameters, so that there are not two of its name",
    in: "postgres:claimFunction",
    find: "p_limit text, p_start text",
    replace: "p_limit text, p_start text, p_next text default null",
  },
  {
    name: "Postgres, last release: a migration rewrites no table",
    in: "postgres:addVersionsAndPools",
    find: "add column package_version text",
    replace: "alter column holds type bigint, add column package_version text",
  },
];
