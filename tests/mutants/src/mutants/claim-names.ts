import type { Mutant } from "../mutant.ts";

/** The protections of versions and pools: the names under which jobs wait and are claimed. */
export const claimNameMutants: readonly Mutant[] = [
  {
    name: "claim names: a next step inherits the pool",
    in: "core:stepOf",
    find: "return { typeName, priority, pool };",
    replace: "return { typeName, priority, pool: undefined };",
  },
  {
    name: "claim names: a triggered job is announced in its pool",
    in: "core:triggerJobs",
    find: "...named(claimName)",
    replace: "...named(claimName && undefined)",
  },
];

/** The same on Postgres. */
export const postgresClaimNameMutants: readonly Mutant[] = [
  {
    name: "Postgres, claim names: a cancellation tells the type",
    in: "postgres:deleteOpenJobs",
    find: '${typeOf("o.type_name")} as type_name',
    replace: "o.type_name",
  },
  {
    name: "Postgres, claim names: a retried job waits under its own",
    in: "postgres:reopenFunction",
    find: '${claimNameOf("v_job")}',
    replace: "v_job.type_name",
  },
  {
    name: "Postgres, claim names: starts are written with their versions and pools",
    in: "postgres:flatten",
    find: "if (flat.type !== start.typeName) into.named = true;",
    replace: "",
  },
  {
    name: "Postgres, claim names: a start by itself is written with its version and pool",
    in: "postgres:onlyPlainStart",
    find: "&& ownClaimName(start) === undefined",
    replace: "",
  },
  {
    name: "Postgres, versions: the end of one keeps the version of its output",
    in: "postgres:oneCall",
    find: "outputsSuffix(hasVersionedOutput(outcome))",
    replace: "outputsSuffix(false)",
  },
  {
    name: "Postgres, versions: several ends keep the versions of their outputs",
    in: "postgres:addEnd",
    find: 'if (kind === "completed" && hasVersionedOutput(outcome)) ends.areVersioned = true;',
    replace: "",
  },
];

/** The same on SQLite. */
export const sqliteClaimNameMutants: readonly Mutant[] = [
  {
    name: "SQLite, claim names: counts tell types",
    in: "sqlite:hotCounts",
    find: "byVersion ? name : splitClaimName(name).typeName",
    replace: "name",
  },
];
