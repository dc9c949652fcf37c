import type { Mutant } from "../mutant.ts";

/** The protections of the operations of the SQLite adapter. */
export const sqliteStoreMutants: readonly Mutant[] = [
  {
    name: "SQLite, the id of a store is its own",
    in: "sqlite:pendingStatements",
    find: "lower(hex(randomblob(16)))",
    replace: "'the-one-and-only-store'",
  },
  {
    name: "SQLite, fence: the worker",
    in: "sqlite:statementsOf",
    find: "where j.id = ? and o.leased_by = ? and",
    replace: "where j.id = ? and (o.leased_by = ? or true) and",
  },
  {
    name: "SQLite, fence: its number",
    in: "sqlite:statementsOf",
    find: "o.leased_by = ? and o.fence = ?`",
    replace: "o.leased_by = ? and (o.fence = ? or true)`",
  },
  {
    name: "SQLite, fence: it does not go back with a retry",
    in: "sqlite:createReopens",
    find: "priority, dueAt ?? 0, fence);",
    replace: "priority, dueAt ?? 0, 0 * fence);",
  },
  {
    name: "SQLite, fence: an end keeps it",
    in: "sqlite:statementsOf",
    find: "failed_by = ?, attempt = ?, fence = ?,",
    replace: "failed_by = ?, attempt = ?, fence = ? * 0,",
  },
  {
    name: "SQLite, fence: it does not go back with an attempt that does not count",
    in: "sqlite:statementsOf",
    find: "attempt = attempt - ?,",
    replace: "fence = fence - 1, attempt = attempt - ?,",
  },
  {
    name: "SQLite, fence: a transaction of an attempt",
    in: "sqlite:createHold",
    find: "if (rows.leasedJob(fence) === undefined) {",
    replace: "if (rows.leasedJob(fence) === undefined && fence.fence < 0) {",
  },
  {
    name: "SQLite, a cancelled attempt may not settle",
    in: "sqlite:createEnds",
    find: 'if (job.status === "open") statements.dropOpen.run(job.seq);\n    tally.add(job.type_name, status, 1);',
    replace: "tally.add(job.type_name, status, 1);",
  },
  {
    name: "SQLite, lease: it runs out",
    in: "sqlite:createTake",
    find: "takeOldest.all(claim.workerId, now + leaseMs, now,",
    replace: "takeOldest.all(claim.workerId, now + 1_000 * leaseMs, now,",
  },
  {
    name: "SQLite, lease: what others hold is not claimed",
    in: "sqlite:statementsOf",
    find: '"(leased_until is null or leased_until <= ?)"',
    replace: '"(true or leased_until <= ?)"',
  },
  {
    name: "SQLite, lease: a renewal extends its own worker's only",
    in: "sqlite:createRenew",
    find: "and leased_by = ? and fence = ?`",
    replace: "and (leased_by = ? or true) and fence = ?`",
  },
  {
    name: "SQLite, lease: a renewal extends its own attempt's only",
    in: "sqlite:createRenew",
    find: "and leased_by = ? and fence = ?`",
    replace: "and leased_by = ? and (fence = ? or true)`",
  },
  {
    name: "SQLite, claim: the attempt is counted",
    in: "sqlite:statementsOf",
    find: "attempt = attempt + 1",
    replace: "attempt = max(attempt, 1)",
  },
  {
    name: "SQLite, claim: nothing before it is due",
    in: "sqlite:createExchange",
    find: "where state = 1 and due_at <= ? order by",
    replace: "where state = 1 and (due_at <= ? or true) order by",
  },
  {
    name: "SQLite, retry: the backoff",
    in: "sqlite:createEnds",
    find: 'counted ? 0 : 1, status === "scheduled" ? 1 : 0, dueAt, seq',
    replace: "counted ? 0 : 1, 0, dueAt, seq",
  },
  {
    name: "SQLite, fan-in: a start waits for chains that have begun",
    in: "sqlite:createInsert",
    find: "for (const chain of counted) statements.markReferenced.run(chain);",
    replace: "for (const chain of counted) if (chain < 0) statements.markReferenced.run(chain);",
  },
  {
    name: "SQLite, deduplication: the window",
    in: "sqlite:createKeys",
    find: "and (d.until is null or d.until > ?)`",
    replace: "and (true or d.until > ?)`",
  },
  {
    name: "SQLite, deduplication: a chain's end frees no other chain's key",
    in: "sqlite:createKeys",
    find: "delete from ${t.deduplication} where key = ? and chain = ?`",
    replace: "delete from ${t.deduplication} where key = ? and (chain = ? or true)`",
  },
  {
    name: "SQLite, awaited: the end of a chain is reported",
    in: "core:followEnd",
    find: "if (isAwaited) effects.awaited = [ended.chain.id];",
    replace: "",
  },
  {
    name: "SQLite, awaited: the end of a chain that a blocker fails is reported",
    in: "core:releaseEach",
    find: "if (rows.isAwaited(failed.chain)) (effects.awaited ??= []).push(failed.chain.id);",
    replace: "",
  },
  {
    name: "SQLite, savepoint: a refused part is undone",
    in: "sqlite:createStore",
    find: "if (undone) rollback.run();",
    replace: "",
  },
  {
    name: "SQLite, savepoint: what a refused part counted is undone",
    in: "sqlite:createStore",
    find: "if (undone) tally.reset(counted);",
    replace: "",
  },
  {
    name: "SQLite, tags: a start with tags writes them",
    in: "sqlite:createInsert",
    find: "key === undefined && start.tags === undefined &&",
    replace: "key === undefined &&",
  },
  {
    name: "SQLite, tags: they are deleted with their chain",
    in: "sqlite:createDeleteChain",
    find: "for (const [name, value] of Object.entries(tagsOf(first.tags) ?? {})) deleteTag.run(name, value, first.id);",
    replace: "void deleteTag;",
  },
];
