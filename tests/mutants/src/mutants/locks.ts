import type { Mutant } from "../mutant.ts";

/** Keeps a worker going while others hold rows, and handles replies that come late. */
export const lockMutants: readonly Mutant[] = [
  {
    name: "locks: an outcome whose rows others hold goes by itself",
    in: "core:settle",
    find: 'if (taken.status === "busy") oneByOne.add([item]);',
    replace: 'if (taken.status === "busy") outbox.items.push(item);',
  },
  {
    name: "locks: an outcome that waits is tried again",
    in: "core:trySettle",
    find: 'if (taken.status === "busy") return tryLater(state, one);',
    replace: 'if (taken.status === "busy") return remove(state, one);',
  },
  {
    name: "locks: a lost race is not the store's absence",
    in: "core:storeTroubleOf",
    find: 'if (state.isConflict(error)) return "locked";',
    replace: 'if (state.isConflict(error)) return "away";',
  },
  {
    name: "locks: a store that takes no writes is not away",
    in: "core:storeTroubleOf",
    find: 'reason === "read-only" ? "read-only" :',
    replace: "",
  },
  {
    name: "locks: what waits for long is reported",
    in: "core:createHeldUpReporter",
    find: "if (outcome.isReported ||",
    replace: "if (!outcome.isReported ||",
  },
  {
    name: "locks: the question who holds them has a limit",
    in: "core:createHolderInquiry",
    find: "createTimeLimit(clock, { limitMs, who",
    replace: "createTimeLimit(clock, { limitMs: limitMs * 1e6, who",
  },
  {
    name: "late: what an exchange has settled is reported",
    in: "core:lateReplyEvents",
    find: 'return taken.status === "done" ? taken.events : [];',
    replace: "return [];",
  },
  {
    name: "late: a loss is not reported while a call is under way that may have settled it",
    in: "core:takeReply",
    find: "if (fate.calls > 0 ||",
    replace: "if (fate.calls < 0 ||",
  },
  {
    name: "late: what is reported is not reported again",
    in: "core:takeReply",
    find: "if (fate.isSettled) return nothingToDo;",
    replace: "",
  },
];

/** Keeps others going on Postgres while a transaction holds rows. */
export const postgresLockMutants: readonly Mutant[] = [
  {
    name: "Postgres, locks: an exchange skips rows that others hold",
    in: "postgres:settleWith",
    find: "options.waitMs === undefined || !isLockTimeout(error)",
    replace: "options.waitMs === undefined || isLockTimeout(error)",
  },
  {
    name: "Postgres, locks: a call waits no longer than it may",
    in: "postgres:guard",
    find: "perform set_config('lock_timeout', p_alone, true);",
    replace: "null;",
  },
  {
    name: "Postgres, locks: the open step",
    in: "postgres:lockOpenRows",
    find: "where o.job_id = any(v_id) order by o.job_id for update skip locked);",
    replace: "where o.job_id = any(v_id));",
  },
  {
    name: "Postgres, locks: the chain",
    in: "postgres:lockWrittenRows",
    find: "where j.id = any(v_rows) order by j.id for no key update skip locked);",
    replace: "where j.id = any(v_rows));",
  },
  {
    name: "Postgres, locks: the deduplication key",
    in: "postgres:lockKeys",
    find: "order by d.key for update skip locked);",
    replace: "order by d.key);",
  },
  {
    name: "Postgres, locks: the chains that the next step waits for",
    in: "postgres:lockChainsOfBlockers",
    find: "order by j.id for share skip locked);",
    replace: "order by j.id);",
  },
  {
    name: "Postgres, fan-in: a transaction that sees the past leaves the release to others",
    in: "postgres:leaveAllToAnotherTransaction",
    find: "if ${seesThePast} then",
    replace: "if false then",
  },
  {
    name: "Postgres, starts: plain ones do not share a statement with those that may wait",
    in: "core:shareStarts",
    find: "const isPatient = call.starts.some(mayWait);",
    replace: "const isPatient = call.starts.length < 0;",
  },
  {
    name: "Postgres, ends: what undoes a step does not wait for the job of another one",
    in: "core:shareCompensations",
    find: "mayWait: true,",
    replace: "mayWait: false,",
  },
  {
    name: "Postgres, starts: those that share a statement go by themselves after a wait",
    in: "core:isWorthAnother",
    find: "if (state.isConflict(error)) return true;",
    replace: "if (state.isConflict(error)) return false;",
  },
  {
    name: "Postgres, pool: handlers leave a connection for the renewal of their leases",
    in: "core:createEngine",
    find: "Math.max(1, (state.connections ?? Infinity) - 1)",
    replace: "Math.max(1, state.connections ?? Infinity)",
  },
  {
    name: "Postgres, health: a server that accepts no writes is reported as one",
    in: "postgres:reasons",
    find: '{ "25006": "read-only",',
    replace: "{",
  },
];
