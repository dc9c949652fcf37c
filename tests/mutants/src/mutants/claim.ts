import type { Mutant } from "../mutant.ts";

/** Keeps claims over many types and priorities in order, and their cost bounded. */
export const claimMutants: readonly Mutant[] = [
  {
    name: "claim: priority 0 does not matter more than others",
    in: "core:highestOf",
    find: "(highest === undefined || priority > highest)",
    replace: "(highest === undefined || Math.abs(priority) > Math.abs(highest))",
  },
];

/** The same on Postgres. */
export const postgresClaimMutants: readonly Mutant[] = [
  {
    name: "Postgres, plain claim: looks for jobs of other priorities too",
    in: "postgres:lookForMore",
    find: "exists (select from ${s}.open_job o where o.state = 0 and o.rank > v_rank),",
    replace: "false,",
  },
  {
    name: "Postgres, plain claim: waits no longer for a lock than it may",
    in: "postgres:claimFunction",
    find: "if p_alone <> '0' then",
    replace: "if false then",
  },
  {
    name: "Postgres, plain claim: leaves many priorities to one that asks each type for its own",
    in: "postgres:lookForMore",
    find: "v_is_more := cardinality(v_ranks) = ${fewRanks - 1};",
    replace: "v_is_more := false;",
  },
  {
    name: "Postgres, plain claim: leaves pending releases to one that carries them on",
    in: "postgres:lookWhetherPlain",
    find: "and not exists (select from ${s}.release)",
    replace: "",
  },
  {
    name: "Postgres, claim: remembers the priorities of jobs that others have taken",
    in: "postgres:claimStartRow",
    find: "'ranks', array_remove(${ranks}, null)",
    replace: "'ranks', '{}'::smallint[]",
  },
  {
    name: "Postgres, claim: at known places it does not read releases that are done",
    in: "postgres:lookForDueJobsAndReleases",
    find: "exists (select from ${s}.release r where r.position >= v_release_from)",
    replace: "exists (select from ${s}.release r)",
  },
  {
    name: "Postgres, plain claim: leaves known places to one that begins there",
    in: "postgres:lookWhetherPlain",
    find: "p_start is null and cardinality",
    replace: "cardinality",
  },
  {
    name: "Postgres, plain claim: leaves due jobs under limits to one that puts them into lanes",
    in: "postgres:makeReady",
    find: "select not d.is_limited,",
    replace: "select true,",
  },
  {
    name: "Postgres, plain claim: looks for due jobs that are left",
    in: "postgres:makeReadyFunction",
    find: "count(*) = v_most as is_left",
    replace: "false as is_left",
  },
  {
    name: "Postgres, plain claim: says when a lease at any priority ends",
    in: "postgres:lookForMore",
    find: "o.rank = any(v_ranks || v_rank)",
    replace: "o.rank = any(v_ranks)",
  },
  {
    name: "Postgres, plain claim: returns what few jobs have",
    in: "postgres:claimFunction",
    find: "if ${notedRare} <> '' then",
    replace: "if false then",
  },
  {
    name: "Postgres, plain claim: returns what few jobs have once",
    in: "postgres:claimedRareFunction",
    find: "perform set_config(${rareJobs}, '', true);",
    replace: "",
  },
  {
    name: "Postgres, plain claim: says where it found its first jobs if it had to skip many entries",
    in: "postgres:claimFunction",
    find: "if ${hasSkippedMany(s)} then",
    replace: "if false then",
  },
  {
    name: "Postgres, claim: asks each type once for its next priority",
    in: "postgres:findNextRankOfEachType",
    find: "if v_rank is not null then",
    replace: "if v_rank is not null and v_now < 0 then",
  },
  {
    name: "Postgres, claim: comes by priority 0, which is in no index of priorities",
    in: "postgres:findNextRankOfEachType",
    find: "case when v_rank < ${plainRank} then ${plainRank} end",
    replace: "case when v_rank < -40000 then ${plainRank} end",
  },
  {
    name: "Postgres, claim: what was found stays, as far as it is still to come",
    in: "postgres:findNextRankOfEachType",
    find: "case when t.rank > v_rank then t.rank else",
    replace: "case when t.rank is not null then greatest(t.rank, v_rank + 1) else",
  },
  {
    name: "Postgres, claim: passes by what others hold, at every priority",
    in: "postgres:findNextRankOfEachType",
    find: "and o.position >= v_from and o.leased_until <= v_now",
    replace: "and o.position >= v_from and o.leased_until > v_now",
  },
  {
    name: "Postgres, claim: says when a lease at any priority ends",
    in: "postgres:includeLeasesOfRankedJobs",
    find: "if v_next_ranks is not null and v_start_at is null and",
    replace: "if v_next_ranks is not null and v_now < 0 and",
  },
];

/** The same on SQLite. */
export const sqliteClaimMutants: readonly Mutant[] = [
  {
    name: "SQLite, claim: by types first",
    in: "sqlite:hotTables",
    find: "(type_name, priority desc) where state = 0",
    replace: "(priority desc, type_name) where state = 0",
  },
  {
    name: "SQLite, claim: asks all types in one statement",
    in: "sqlite:probes",
    find: "const probes = 4;",
    replace: "const probes = 4_000;",
  },
  {
    name: "SQLite, claim: continues at the next priority of each type",
    in: "sqlite:createClaimReady",
    find: "const stale = isFirst ? asked : present;",
    replace: "const stale = present.slice(1);",
  },
  {
    name: "SQLite, claim: in the order of the types",
    in: "sqlite:createTake",
    find: "left.n - right.n || left.job - right.job",
    replace: "left.job - right.job",
  },
  {
    name: "SQLite, lease: it runs out, of jobs of several types",
    in: "sqlite:createTake",
    find: "take.all(claim.workerId, now + leaseMs, now,",
    replace: "take.all(claim.workerId, now + 1_000 * leaseMs, now,",
  },
  {
    name: "SQLite, claim: says when a lease ends",
    in: "sqlite:createClaimReady",
    find: "const nextAt = Math.min(...leaseEnds(typesOf(asked)).map((until) => until ?? Infinity), ...pauseEnds, Infinity);",
    replace: "const nextAt = Math.min(asked.length < 0 ? leaseEnds([]).length : Infinity, ...pauseEnds);",
  },
];
