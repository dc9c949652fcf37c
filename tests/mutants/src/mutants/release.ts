import type { Mutant } from "../mutant.ts";

/** The release of jobs that the end of a chain leaves to later exchanges: in the process, and in clients. */
export const releaseMutants: readonly Mutant[] = [
  {
    name: "release: bounded",
    in: "core:mostAtOnce",
    find: "const mostAtOnce = 500;",
    replace: "const mostAtOnce = 5_000_000;",
  },
  {
    name: "release: the rest is kept",
    in: "core:look",
    find: "if (isCut) keepRelease(store, { ...release, at: until });",
    replace: "",
  },
  {
    name: "release: continues where it stopped",
    in: "core:look",
    find: "if (isCut) keepRelease(store, { ...release, at: until });",
    replace: "if (isCut) keepRelease(store, { ...release, at: until - 1 });",
  },
  {
    name: "release: leaves no job out where it stopped",
    in: "core:look",
    find: "if (isCut) keepRelease(store, { ...release, at: until });",
    replace: "if (isCut) keepRelease(store, { ...release, at: until + 1 });",
  },
  {
    name: "release: carried on by an exchange",
    in: "core:exchange",
    find: "const released = carryOn(rows, now);",
    replace:
      "const released = carryOn(rows, now < 0 ? now : NaN) && { unblocked: [], failed: [], reblocked: [], releasing: false };",
  },
  {
    name: "release: a job that was counted since is not counted down",
    in: "core:look",
    find: "|| row.blocking.countedAt > since) continue;",
    replace: ") continue;",
  },
  {
    name: "release: a retry ends it",
    in: "core:reopenChain",
    find: "dropRelease(store, chain);",
    replace: "",
  },
  {
    name: "release: undone with the transaction that left it",
    in: "core:setRelease",
    find: "store.journal?.push(() => {\n    put(store, chain, before);\n  });",
    replace: "if (before === release) put(store, chain, before);",
  },
  {
    name: "release: carried on by the process that ended the chain",
    in: "core:createEngine",
    find: 'if (recorded.some(({ type }) => type === "chain-releasing")) backgroundRelease.begin();',
    replace:
      'if (recorded.some(({ type }) => type === "chain-releasing" && recorded.length < 0)) backgroundRelease.begin();',
  },
  {
    name: "release: what an exchange released is reported",
    in: "core:recordExchange",
    find: "for (const event of consequenceEvents(released)) events.push(event);",
    replace: "",
  },
];

/** The same on Postgres, where another transaction may have locked the jobs. */
export const postgresReleaseMutants: readonly Mutant[] = [
  {
    name: "Postgres, release: bounded",
    in: "postgres:mostAtOnce",
    find: "export const mostAtOnce = 500;",
    replace: "export const mostAtOnce = 5_000_000;",
  },
  {
    name: "Postgres, release: the rest is kept",
    in: "postgres:leaveTheRest",
    find: "from ${ended} where e.at >= v_at[v_left + 1] -- The chain",
    replace: "from ${ended} where false\n        -- The chain",
  },
  {
    name: "Postgres, release: continues where it stopped",
    in: "postgres:leaveTheRest",
    find: "then v_found[v_left + 1] else e.from_id end",
    replace: "then v_found[greatest(1, v_left)] else e.from_id end",
  },
  {
    name: "Postgres, release: leaves no job out where it stopped",
    in: "postgres:findWaitingJobs",
    find: "order by b.chain_id, b.job_id, b.position limit v_left + 1) b\n      order by e.at, b.job_id limit v_left + 1) f;",
    replace:
      "order by b.chain_id, b.job_id, b.position offset (e.from_id is not null)::integer limit v_left + 1) b\n      order by e.at, b.job_id limit v_left + 1) f;",
  },
  {
    name: "Postgres, release: reads no jobs beyond those that are left",
    in: "postgres:findWaitingJobs",
    find: "b.job_id between coalesce(e.from_id, ${leastId}) and coalesce(e.until_id, ${mostId})",
    replace: "(b.chain_id, b.job_id) <= (e.chain_id, coalesce(e.until_id, ${mostId}))",
  },
  {
    name: "Postgres, release: carried on by a claim",
    in: "postgres:resumeReleases",
    find: "if v_is_releasing then",
    replace: "if v_is_releasing and v_now < 0 then",
  },
  {
    name: "Postgres, release: carried on by an exchange that claims nothing",
    in: "postgres:resumeReleaseAloneFunction",
    find: "if exists (select from ${s}.release) then",
    replace: "if v_now < 0 then",
  },
  {
    name: "Postgres, release: a job that was counted since is not counted down",
    in: "postgres:findWaitingJobs",
    find: "(e.chain_id, coalesce(e.from_id, ${leastId})) and b.counted",
    replace: "(e.chain_id, coalesce(e.from_id, ${leastId}))",
  },
  {
    name: "Postgres, release: a job that starts after the end does not count the chain",
    in: "postgres:writeBlockers",
    find: "l.position, l.chain, f.chain_status <> 1",
    replace: "l.position, l.chain, true",
  },
  {
    name: "Postgres, release: a job that comes back does not count what has completed",
    in: "postgres:reopenFunction",
    find: "update ${s}.blocker b set counted = false",
    replace: "update ${s}.blocker b set counted = true",
  },
  {
    name: "Postgres, release: a retry ends it",
    in: "postgres:reopenFunction",
    find: "delete from ${s}.release r where r.chain_id = v_job.chain_id;",
    replace: "",
  },
  {
    name: "Postgres, release: a retry waits for the step under way",
    in: "postgres:resumeReleaseFunction",
    find: "for update of r skip locked for share of f skip locked",
    replace: "for update of r skip locked",
  },
  {
    name: "Postgres, release: waits for no one who has locked a job that is counted down",
    in: "postgres:countDownWaitingJobs",
    find: "where o.state = 2 for update of o skip locked),",
    replace: "where o.state = 2 for update of o),",
  },
  {
    name: "Postgres, release: waits for no one who has locked a job that fails",
    in: "postgres:failWaitingJobs",
    find: "for update of o skip locked for no key update of c skip locked",
    replace: "for update of o for no key update of c skip locked",
  },
  {
    name: "Postgres, release: waits for no one who waits for a chain that fails",
    in: "postgres:failWaitingJobs",
    find: "for update of o skip locked for no key update of c skip locked",
    replace: "for update of o skip locked",
  },
  {
    name: "Postgres, release: a job that is locked is kept",
    in: "postgres:leaveLockedJobs",
    find: "select nextval(${positions}), l.chain_id, l.job_id, l.job_id from locked l)",
    replace: "select nextval(${positions}), l.chain_id, l.job_id, l.job_id from locked l where false)",
  },
  {
    name: "Postgres, release: jobs that wait for a retry are not kept",
    in: "postgres:leaveLockedJobs",
    find: "and (j.on_blocker_failure = 0 or not v_is_broken) and",
    replace: "and",
  },
  {
    name: "Postgres, release: locked jobs are no reason to continue at once",
    in: "postgres:releasedOf",
    find: "(taken === mostAtOnce && locked < taken)",
    replace: "taken !== undefined",
  },
];

/** The same on SQLite. */
export const sqliteReleaseMutants: readonly Mutant[] = [
  {
    name: "SQLite, release: the rest is kept",
    in: "sqlite:createReleases",
    find: "if (next !== undefined) statements.keep.run(chain.seq, next.seq);",
    replace: "if (next !== undefined && next.seq < 0) statements.keep.run(chain.seq, next.seq);",
  },
  {
    name: "SQLite, release: continues where it stopped",
    in: "sqlite:createReleases",
    find: "statements.keep.run(chain.seq, next.seq);",
    replace: "statements.keep.run(chain.seq, next.seq - 1);",
  },
  {
    name: "SQLite, release: leaves no job out where it stopped",
    in: "sqlite:createReleases",
    find: "statements.keep.run(chain.seq, next.seq);",
    replace: "statements.keep.run(chain.seq, next.seq + 1);",
  },
  {
    name: "SQLite, release: carried on by an exchange",
    in: "sqlite:createExchange",
    find: "const released = rules.carryOn(rows, now);",
    replace: "const released = { unblocked: [], failed: [], reblocked: [], releasing: rows === undefined };",
  },
  {
    name: "SQLite, release: a job that was counted since is not counted down",
    in: "sqlite:statementsOf",
    find: "and job >= ? and counted = 1 order by",
    replace: "and job >= ? order by",
  },
  {
    name: "SQLite, release: a job that starts after the end does not count the chain",
    in: "sqlite:createInsert",
    find: "counted.has(chain.seq) ? 1 : 0",
    replace: "1",
  },
  {
    name: "SQLite, release: a job that comes back does not count what has completed",
    in: "sqlite:createReopens",
    find: "statements.uncount.run(seq);",
    replace: "",
  },
  {
    name: "SQLite, release: a retry ends it",
    in: "sqlite:createReopens",
    find: "statements.dropRelease.run(seq);",
    replace: "",
  },
];
