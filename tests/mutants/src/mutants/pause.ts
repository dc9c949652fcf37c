import type { Mutant } from "../mutant.ts";

/** Keep a pause from being missed, from lasting too long, and from costing claims. */
export const pauseMutants: readonly Mutant[] = [
  {
    name: "pause: claims read it from the store, not only from what their worker has heard",
    in: "core:claimPart",
    find: "store.pauses.size === 0 ?",
    replace: "store.pauses.size >= 0 ?",
  },
  {
    name: "pause: one with a time ends by itself",
    in: "core:pausesAt",
    find: "until === undefined || until > now",
    replace: "until === undefined || now > 0",
  },
  {
    name: "pause: claims report when it ends",
    in: "core:claimPart",
    find: "asked.endsInMs, opensInMs)",
    replace: "asked.endsInMs * Infinity, opensInMs)",
  },
  {
    name: "pause: a rollback undoes it",
    in: "core:setPause",
    find: "store.journal?.push(",
    replace: "[].forEach(",
  },
  {
    name: "pause: a resume sends a hint",
    in: "core:openingHints",
    find: 'case "types-resumed":',
    replace: "",
  },
  {
    name: "pause: a resumed type is claimed at once",
    in: "core:lookAtOnce",
    find: "pausedTypes.resume(typeName);",
    replace: "",
  },
  {
    name: "pause: a worker that hears of one asks the store",
    in: "core:takeHints",
    find: "if (types.has(hint.typeName)) chores.beat();",
    replace: "",
  },
  {
    name: "pause: a reply that was on its way during a resume does not pause the type again",
    in: "core:createPausedTypes",
    find: "resume(typeName) { state.resumed?.add(typeName);",
    replace: "resume(typeName) {",
  },
  {
    name: "pause: a worker that knows its end looks then",
    in: "core:set",
    find: "first === Infinity ? undefined :",
    replace: "first >= 0 ? undefined :",
  },
  {
    name: "pause: what has not begun goes back",
    in: "core:pausedTypesOf",
    find: "handBackWaiting(slots, ({ typeName }) => pausedTypes.has(typeName));",
    replace: "",
  },
  {
    name: "pause: a worker does not name paused types",
    in: "core:set",
    find: "ends.size === 0 ? state.types",
    replace: "ends.size >= 0 ? state.types",
  },
  {
    name: "pause: jobs found after its end were not unannounced",
    in: "core:untilNextLook",
    find: "next.isDry && !next.isForDueJob &&",
    replace: "next.isDry &&",
  },
  {
    name: "idle: is seen twice, because a claim that began before a pause may commit after it",
    in: "core:lookUntilIdle",
    find: "else if (idleSince === undefined) idleSince = clock.now();",
    replace: "else if (idleSince === undefined) return;",
  },
];

/** The same on Postgres. */
export const postgresPauseMutants: readonly Mutant[] = [
  {
    name: "Postgres, pause: claims read it before they look for jobs",
    in: "postgres:lookForDueJobsAndReleases",
    find: "array(select p.type_name from ${s}.pause p where p.until is null or p.until > v_now)",
    replace: "'{}'::text[]",
  },
  {
    name: "Postgres, pause: claims read it with the jobs that they lock",
    in: "postgres:lockReadyJobs",
    find: ' and ${isUnpaused(s, "t.type_name", "v_now")}',
    replace: "",
  },
  {
    name: "Postgres, pause: plain claims read it with the jobs that they lock",
    in: "postgres:takeFirst",
    find: "where not exists (select from ${s}.pause p where p.at is not null)",
    replace: "",
  },
  {
    name: "Postgres, pause: a plain claim that finds nothing looks whether a type is paused",
    in: "postgres:lookForMore",
    find: "or exists (select from ${s}.pause p where p.at is not null)",
    replace: "",
  },
  {
    name: "Postgres, pause: claims read it with the jobs that they lock in lanes",
    in: "postgres:leaseJobs",
    find: ' and ${isUnpaused(s, "t.type_name", "p_now")}',
    replace: "",
  },
  {
    name: "Postgres, pause: one with a time ends by itself",
    in: "postgres:lookForDueJobsAndReleases",
    find: "where p.until is null or p.until > v_now)",
    replace: "where true)",
  },
  {
    name: "Postgres, pause: claims report when it ends",
    in: "postgres:findNextDue",
    find: "least(v_pause_ends, v_lane_look",
    replace: "least(v_pause_ends * 'Infinity', v_lane_look",
  },
  {
    name: "Postgres, pause: claims remember nothing about due jobs at which they did not look",
    in: "postgres:returnStart",
    find: "due: \"case when v_paused <> '{}' then",
    replace: 'due: "case when false then',
  },
  {
    name: "Postgres, pause: claims remember nothing about positions at which they did not look",
    in: "postgres:returnStart",
    find: "newest: \"case when v_paused <> '{}' and",
    replace: 'newest: "case when false and',
  },
  {
    name: "Postgres, pause: a claim that names a type again looks from the beginning",
    in: "postgres:createClaimStart",
    find: "remembered.until = -Infinity;",
    replace: "remembered.until += 0;",
  },
];

/** The same on SQLite. */
export const sqlitePauseMutants: readonly Mutant[] = [
  {
    name: "SQLite, pause: claims read it",
    in: "sqlite:createClaimReady",
    find: "priority === null || pauses.has(type.typeName)",
    replace: "priority === null",
  },
  {
    name: "SQLite, pause: one with a time ends by itself",
    in: "sqlite:selectPauses",
    find: "where until is null or until > ?",
    replace: "where until is null or until > ? - 1000000000",
  },
  {
    name: "SQLite, pause: claims report when it ends",
    in: "sqlite:createClaimReady",
    find: "pauses.get(typeName)?.until ?? Infinity",
    replace: "(pauses.get(typeName)?.until ?? Infinity) * Infinity",
  },
];
