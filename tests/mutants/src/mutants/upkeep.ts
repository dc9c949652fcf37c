import type { Mutant } from "../mutant.ts";

/** The protections of upkeep: it is done, it costs no more than what it finds, and its failures are reported. */
export const upkeepMutants: readonly Mutant[] = [
  {
    name: "Upkeep: a chore that fails is reported",
    in: "core:createChoreFailures",
    find: "if (isNews) events.record",
    replace: "if (isNews && now < 0) events.record",
  },
  {
    name: "Upkeep: a chore that fails leaves the others alone",
    in: "core:createChoreFailures",
    find: "fail(chore, error);\n        return undefined;",
    replace: "fail(chore, error);\n        throw error;",
  },
  {
    name: "Upkeep: a chore that hangs leaves the others alone",
    in: "core:createMaintainRound",
    find: "timeLimit(() => state.maintain({ chore, ...retention, limit }, callOptions())),",
    replace: "state.maintain({ chore, ...retention, limit }, callOptions()),",
  },
  {
    name: "Upkeep: continues at once while there is more",
    in: "core:createMaintainRound",
    find: "left = again;",
    replace: "left = [];",
  },
  {
    name: "Upkeep: takes a part of the time only",
    in: "core:createMaintainRound",
    find: "Math.max(0, clock.now() - began)",
    replace: "0",
  },
  {
    name: "Upkeep: a pass that failed is followed by a smaller one",
    in: "core:createMaintainRound",
    find: "Math.max(leastInPass, limit >> 2)",
    replace: "limit",
  },
  {
    name: "Upkeep: ends with its worker",
    in: "core:shutDown",
    find: "if (running !== undefined) void chores.leave();",
    replace: "if (running === undefined) void chores.leave();",
  },
  {
    name: "retention: a chain that was needed is looked at again when what needed it is deleted",
    in: "core:deleteChain",
    find: "if (store.needed.moments.has(lastOf(blocker))) reconsider",
    replace: "if (store.needed.moments.size < 0) reconsider",
  },
  {
    name: "windows: freed in bounded passes",
    in: "core:freeWindows",
    find: "freed < limit; freed += 1",
    replace: "freed < Infinity; freed += 1",
  },
];

export const postgresUpkeepMutants: readonly Mutant[] = [
  {
    name: "Postgres, upkeep: the floor stays where a transaction can still add something",
    in: "postgres:alongPositions",
    find: "greatest(u.floor, least(${reached}, v_pass.settled))",
    replace: "greatest(u.floor, ${reached})",
  },
  {
    name: "Postgres, upkeep: a pass continues where the last one stopped",
    in: "postgres:chorePass",
    find: "not between 0 and ${lookAgainMs} then",
    replace: "not between 0 and -1 then",
  },
  {
    name: "Postgres, upkeep: now and then a pass looks from the floor",
    in: "postgres:chorePass",
    find: "v_pass.reached := v_pass.floor;",
    replace: "v_pass.reached := greatest(v_pass.reached, v_pass.floor);",
  },
  {
    name: "Postgres, upkeep: a clock that is set back",
    in: "postgres:chorePass",
    find: "v_now - v_pass.began_at not between 0 and ${lookAgainMs}",
    replace: "v_now - v_pass.began_at > ${lookAgainMs}",
  },
  {
    name: "Postgres, upkeep: transaction ids of another server",
    in: "postgres:settledPositionFunction",
    find: "and v_noted.noted_xid <= v_newest then",
    replace: "then",
  },
  {
    name: "Postgres, tally: only what is settled is left out of the count",
    in: "postgres:talliedFunction",
    find: "where c.n > v_floor) t",
    replace: "where c.n > (select u.reached from ${s}.upkeep u where u.chore = 'tally')) t",
  },
  {
    name: "Postgres, tally: every table has a primary key",
    in: "postgres:upkeepTables",
    find: "count bigint not null,\n  constraint tally_change_pkey primary key (n)\n)",
    replace: "count bigint not null\n)",
  },
  {
    name: "Postgres, retention: a retried chain has an entry",
    in: "postgres:reopenFunction",
    find: "values (v_job.chain_id, 1, p_now)",
    replace: "select v_job.chain_id, 1, p_now where false",
  },
  {
    name: "Postgres, retention: a failed chain has an entry",
    in: "postgres:noteStoppedFunction",
    find: "from unnest(p_chain, p_status) as e(chain_id, status) where e.status > 1 order by",
    replace: "from unnest(p_chain, p_status) as e(chain_id, status) where e.status > 2 order by",
  },
  {
    name: "Postgres, retention: what the walk passes and leaves has an entry",
    in: "postgres:walkAlong",
    find: "where f.id = any(v_chains) and f.chain_status < 2\n      on conflict",
    replace: "where f.id = any(v_chains) and f.chain_status < 0\n      on conflict",
  },
  {
    name: "Postgres, retention: chains that are kept are not looked at again",
    in: "postgres:retentionFunction",
    find: "and e.since >= v_from and e.since <= v_until",
    replace: "and e.since >= v_from",
  },
  {
    name: "Postgres, retention: chains of a clock that was ahead hold nothing up",
    in: "postgres:walkAlong",
    find: "f.created_at <= v_completed_until or f.created_at > v_now",
    replace: "f.created_at <= v_completed_until",
  },
  {
    name: "Postgres, windows: freed in bounded passes",
    in: "postgres:windowsFunction",
    find: "order by d.until limit p_limit::integer for update",
    replace: "order by d.until for update",
  },
];

export const sqliteUpkeepMutants: readonly Mutant[] = [
  {
    name: "SQLite, retention: what others wait for stays",
    in: "sqlite:createRemoveExpired",
    find: "need.get(chain.seq, chain.seq) !== undefined",
    replace: "need.get(chain.seq, chain.seq) === null",
  },
  {
    name: "SQLite, retention: a retried chain has an entry",
    in: "sqlite:createReopens",
    find: 'expiry.note(seq, "active", now);',
    replace: "",
  },
  {
    name: "SQLite, retention: a failed chain has an entry",
    in: "sqlite:createExpiry",
    find: 'if (status !== "completed") write(chain, status, since);',
    replace: 'if (status === "cancelled") write(chain, status, since);',
  },
  {
    name: "SQLite, retention: what the walk passes and leaves has an entry",
    in: "sqlite:createWalk",
    find: "else enter.run(chain.seq, nextLook(chain, until, now));",
    replace: "",
  },
  {
    name: "SQLite, retention: a number that is given again",
    in: "sqlite:createWalked",
    find: "if (walked() > most) write.run",
    replace: "if (walked() < 0) write.run",
  },
  {
    name: "SQLite, retention: chains of a clock that was ahead hold nothing up",
    in: "sqlite:createWalk",
    find: "job.created_at <= until || job.created_at > now",
    replace: "job.created_at <= until",
  },
  {
    name: "SQLite, windows: freed in bounded passes",
    in: "sqlite:createMaintain",
    find: "until <= ? order by until limit ?)`",
    replace: "until <= ? order by until limit 100 * ?)`",
  },
];
