import type { Mutant } from "./mutant.ts";

/**
 * Numbers above which the library takes another way, and the most that it does at once. With these the cases of the suites, which have
 * few jobs, take those ways too, and do in many steps what they otherwise do in one. Numbers that a case is about are not here.
 */
export const smallNumbers: readonly Mutant[] = [
  small("Postgres, claim: names that are looked at one by one", "postgres:manyNames", "128", "1"),
  small("Postgres, claim: names of the first look", "postgres:firstNames", "16", "1"),
  small("Postgres, claim: names with jobs", "postgres:mostPresent", "100", "1"),
  small("Postgres, claim: priorities", "postgres:fewRanks", "3", "1"),
  small("Postgres, blockers: gates of a transaction", "postgres:mostGates", "100", "1"),
  small("Postgres, lists: open chains", "postgres:fewOpen", "10_000", "1"),
  small("Postgres, lists: chains of a tag", "postgres:many", "1_000", "1"),
  small("Postgres, doctor: rows that are counted at once", "postgres:pageSize", "20_000", "2"),
  small("SQLite, claim: names that are looked at one by one", "sqlite:manyNames", "64", "1"),
  small("SQLite, claim: types that are queried one by one", "sqlite:probes", "4", "1"),
  small("SQLite, limits: lanes that a claim visits in vain", "sqlite:moreVisits", "100", "1"),
  small("SQLite, limits: jobs that a claim looks ahead", "sqlite:lookahead", "16", "1"),
  small("SQLite, signals: rows that are read at once", "sqlite:batch", "32", "1"),
  small("SQLite, lists: chains of a tag", "sqlite:many", "1_000", "1"),
  small("SQLite, lists: jobs of a status", "sqlite:few", "10_000", "1"),
  small("SQLite, chains: what a connection remembers", "sqlite:most", "10_000", "1"),
  small("SQLite, retention: chains that are read at once", "sqlite:batch", "500", "1"),
  small("SQLite, doctor: rows that are counted at once", "sqlite:pageSize", "10_000", "2"),
  small("in process: rows of a chunk", "core:chunkSize", "512", "2"),
  small("in process: space between the places of a lane", "core:gap", "1_024", "2"),
  small("chains that are awaited in one call", "core:mostChains", "500", "1"),
  small("reads of awaited chains in one call", "core:maxLookups", "500", "1"),
  small("hints: jobs that are watched one by one", "core:manyJobs", "1_000", "1"),
  small("schedules: rows of a page", "core:pageSize", "500", "1"),
  small("deployments: open jobs of a page", "core:pageSize", "250", "1"),
  small("blockers of a page", "core:blockersPerPage", "1_000", "1"),
  small("watched jobs: lines of a look", "core:linesPerLook", "500", "1"),
  small("limits: keys that a worker remembers", "core:mostMet", "1_000", "1"),
];

function small(name: string, declaration: string, number: string, replace: string): Mutant {
  return { name, in: declaration, find: number, replace };
}
