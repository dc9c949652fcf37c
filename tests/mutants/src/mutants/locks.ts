import type { Mutant } from "../mutant.ts";

const worker = "packages/core/src/worker";
const functions = "packages/postgres/src/functions";

/** What keeps a worker going while others hold rows, and what it makes of answers that come late. */
export const lockMutants: readonly Mutant[] = [
  {
    name: "locks: an outcome whose rows others hold goes by itself",
    file: `${worker}/exchange-loop.ts`,
    find: 'if (reply.status === "busy") loop.heldUp.add([item]);',
    replace: 'if (reply.status === "busy") loop.outcomes.push(item);',
  },
  {
    name: "locks: an outcome that waits keeps its lease",
    file: `${worker}/settle-one-by-one.ts`,
    find: "        leases.add(item.lease);\n",
    replace: "",
  },
  {
    name: "locks: an outcome that waits is tried again",
    file: `${worker}/settle-one-by-one.ts`,
    find: 'if (reply.status === "busy") return again(room, one);',
    replace: 'if (reply.status === "busy") return leave(room, one);',
  },
  {
    name: "locks: a lost race is not the store's absence",
    file: `${worker}/call-failure.ts`,
    find: 'if (state.isConflict(error)) return "locked";',
    replace: 'if (state.isConflict(error)) return "away";',
  },
  {
    name: "locks: a store that takes no writes is not away",
    file: `${worker}/call-failure.ts`,
    find: 'reason === "read-only" ? "read-only" : ',
    replace: "",
  },
  {
    name: "locks: a worker that stops hands in what waits",
    file: `${worker}/worker.ts`,
    find: "  await loop.heldUp.idle();\n",
    replace: "",
  },
  {
    name: "locks: what waits for long is reported",
    file: `${worker}/settle-one-by-one.ts`,
    find: "if (one.isReported || one.tries < 2",
    replace: "if (!one.isReported || one.tries < 2",
  },
  {
    name: "late: what an exchange has settled is reported",
    file: `${worker}/exchange-loop.ts`,
    find: "isTold ? toldEvents(engine, item, reply) : silenceEvents(item)",
    replace: "isTold && items.length < 0 ? toldEvents(engine, item, reply) : silenceEvents(item)",
  },
  {
    name: "late: a loss is not reported while a call is under way that may have settled it",
    file: `${worker}/reply-events.ts`,
    find: "return fate.calls > 0 ? [] : lostEvents(item);",
    replace: "return lostEvents(item);",
  },
  {
    name: "late: what is reported is not reported again",
    file: `${worker}/reply-events.ts`,
    find: "  if (fate.isSettled) return [];\n",
    replace: "",
  },
];

/** What keeps others going on Postgres while a transaction holds rows. */
export const postgresLockMutants: readonly Mutant[] = [
  {
    name: "Postgres, locks: an exchange goes on without what others hold",
    file: "packages/postgres/src/operations/settle.ts",
    find: "options.waitMs === undefined || !isLockTimeout(error)",
    replace: "options.waitMs === undefined || isLockTimeout(error)",
  },
  {
    name: "Postgres, locks: a call waits no longer than it may",
    file: `${functions}/function.ts`,
    find: "perform set_config('lock_timeout', ${alone}, true);",
    replace: "null;",
  },
  {
    name: "Postgres, locks: the open step",
    file: `${functions}/take-free.ts`,
    find: "where o.job_id = any(v_id) order by o.job_id for update skip locked);",
    replace: "where o.job_id = any(v_id));",
  },
  {
    name: "Postgres, locks: the chain",
    file: `${functions}/take-free.ts`,
    find: "where j.id = any(v_rows) order by j.id for no key update skip locked);",
    replace: "where j.id = any(v_rows));",
  },
  {
    name: "Postgres, locks: the deduplication key",
    file: `${functions}/take-free.ts`,
    find: "    order by d.key for update skip locked);",
    replace: "    order by d.key);",
  },
  {
    name: "Postgres, locks: the chains that the next step waits for",
    file: `${functions}/take-free.ts`,
    find: "order by j.id for share skip locked);",
    replace: "order by j.id);",
  },
  {
    name: "Postgres, fan-in: a transaction that sees the past leaves the release to others",
    file: `${functions}/follow.ts`,
    find: "if ${seesThePast} then",
    replace: "if false then",
  },
  {
    name: "Postgres, starts: plain ones do not share a statement with those that may wait",
    file: "packages/core/src/engine/concurrent-starts.ts",
    find: "const isPatient = call.starts.some(mayWait);",
    replace: "const isPatient = call.starts.length < 0;",
  },
  {
    name: "Postgres, starts: those that share a statement go by themselves after a wait",
    file: "packages/core/src/engine/concurrent-starts.ts",
    find: "  if (state.isConflict(error)) return true;\n",
    replace: "  if (state.isConflict(error)) return false;\n",
  },
  {
    name: "Postgres, pool: handlers leave a connection for the renewal of their leases",
    file: "packages/core/src/engine/engine.ts",
    find: "Math.max(1, (state.connections ?? Infinity) - 1)",
    replace: "Math.max(1, state.connections ?? Infinity)",
  },
  {
    name: "Postgres, health: a server that takes no writes is told apart",
    file: "packages/postgres/src/errors.ts",
    find: '{ "25006": "read-only", ',
    replace: "{ ",
  },
];
