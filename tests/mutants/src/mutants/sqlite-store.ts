import type { Mutant } from "../mutant.ts";

const operations = "packages/sqlite/src/operations";

/** The protections of the operations of the SQLite adapter. */
export const sqliteStoreMutants: readonly Mutant[] = [
  {
    name: "SQLite, the id of a store is its own",
    file: "packages/sqlite/src/migrate.ts",
    find: "lower(hex(randomblob(16)))",
    replace: "'the-one-and-only-store'",
  },
  {
    name: "SQLite, fence: the worker",
    file: `${operations}/find-held.ts`,
    find: "where j.id = ? and r.leased_by = ? and",
    replace: "where j.id = ? and (r.leased_by = ? or true) and",
  },
  {
    name: "SQLite, fence: its number",
    file: `${operations}/find-held.ts`,
    find: "and r.fence = ?`",
    replace: "and (r.fence = ? or true)`",
  },
  {
    name: "SQLite, fence: it does not go back with a retry",
    file: `${operations}/reopen.ts`,
    find: "job.priority, now, job.fence);",
    replace: "job.priority, now, 0);",
  },
  {
    name: "SQLite, fence: an end keeps it",
    file: `${operations}/end-chain.ts`,
    find: "attempt = ?, fence = ?,",
    replace: "attempt = ?, fence = ? * 0,",
  },
  {
    name: "SQLite, fence: it does not go back with an attempt that does not count",
    file: `${operations}/settle.ts`,
    find: "attempt = attempt - ?,",
    replace: "fence = fence - 1, attempt = attempt - ?,",
  },
  {
    name: "SQLite, fence: a transaction of an attempt",
    file: `${operations}/hold.ts`,
    find: "if (held.get(jobId, workerId, fence) === undefined) throw",
    replace: "if (held.get(jobId, workerId, fence) === undefined && fence < 0) throw",
  },
  {
    name: "SQLite, a cancelled attempt may not settle",
    file: `${operations}/cancel.ts`,
    find: "    dropReady.run(job.seq);\n",
    replace: "",
  },
  {
    name: "SQLite, lease: it runs out",
    file: `${operations}/claim.ts`,
    find: "takeOldest.all(claim.workerId, now + leaseMs, now,",
    replace: "takeOldest.all(claim.workerId, now + 1_000 * leaseMs, now,",
  },
  {
    name: "SQLite, lease: what others hold is not claimed",
    file: `${operations}/claim.ts`,
    find: '"(leased_until is null or leased_until <= ?)"',
    replace: '"(true or leased_until <= ?)"',
  },
  {
    name: "SQLite, lease: a renewal extends its own worker's only",
    file: `${operations}/renew.ts`,
    find: "and leased_by = ? and fence = ?`",
    replace: "and (leased_by = ? or true) and fence = ?`",
  },
  {
    name: "SQLite, lease: a renewal extends its own attempt's only",
    file: `${operations}/renew.ts`,
    find: "and leased_by = ? and fence = ?`",
    replace: "and leased_by = ? and (fence = ? or true)`",
  },
  {
    name: "SQLite, claim: the attempt is counted",
    file: `${operations}/claim.ts`,
    find: "attempt = attempt + 1",
    replace: "attempt = max(attempt, 1)",
  },
  {
    name: "SQLite, claim: nothing before it is due",
    file: `${operations}/exchange.ts`,
    find: "where waiting = 1 and ready_at <= ? order by",
    replace: "where waiting = 1 and (ready_at <= ? or true) order by",
  },
  {
    name: "SQLite, retry: the backoff",
    file: `${operations}/settle.ts`,
    find: "putBack.run(outcome.counted ? 0 : 1, waiting ? 1 : 0,",
    replace: "putBack.run(outcome.counted ? 0 : 1, 0,",
  },
  {
    name: "SQLite, fan-in: counting down",
    file: `${operations}/release-dependent.ts`,
    find: "if (left > 0) {",
    replace: "if (left > 1) {",
  },
  {
    name: "SQLite, fan-in: a start waits for chains that have begun",
    file: `${operations}/write-job.ts`,
    find: "for (const chain of open.keys()) markAwaited.run(chain);",
    replace: "for (const chain of open.keys()) if (chain < 0) markAwaited.run(chain);",
  },
  {
    name: "SQLite, blockers: a failed one fails its dependents",
    file: `${operations}/end-chain.ts`,
    find: 'else if (job.on_blocker_failure === "fail") {',
    replace: 'else if (job.on_blocker_failure === "fail" && now < 0) {',
  },
  {
    name: "SQLite, blockers: a failure is passed on all the way up",
    file: `${operations}/end-chain.ts`,
    find: '          queue.push({ chain: failed, status: "failed", from: 0 });\n',
    replace: "",
  },
  {
    name: "SQLite, blockers: no ring",
    file: `${operations}/settle.ts`,
    find: "if (way !== undefined) {",
    replace: "if (way !== undefined && now < 0) {",
  },
  {
    name: "SQLite, deduplication: a key that is taken",
    file: `${operations}/write-job.ts`,
    find: "if (holder !== undefined) return { holder };",
    replace: "if (holder !== undefined && now < 0) return { holder };",
  },
  {
    name: "SQLite, deduplication: the window",
    file: `${operations}/deduplication.ts`,
    find: "and (d.until_at is null or d.until_at > ?)`",
    replace: "and (true or d.until_at > ?)`",
  },
  {
    name: "SQLite, deduplication: a key is free when its chain ends",
    file: `${operations}/end-chain.ts`,
    find: "free(chain.dedup_key, chain.seq);",
    replace: "free(chain.dedup_key, -1);",
  },
  {
    name: "SQLite, deduplication: a chain's end frees no other chain's key",
    file: `${operations}/deduplication.ts`,
    find: "delete from ${t.deduplication} where key = ? and chain = ?`",
    replace: "delete from ${t.deduplication} where key = ? and (chain = ? or true)`",
  },
  {
    name: "SQLite, deduplication: a retried chain does not take a key that another has",
    file: `${operations}/reopen.ts`,
    find: "return holder === undefined || holder.seq === chain ? undefined : holder.id;",
    replace: "return holder === undefined || holder.seq > 0 ? undefined : holder.id;",
  },
  {
    name: "SQLite, remove: what others wait for stays",
    file: `${operations}/remove.ts`,
    find: "if (refusal !== undefined) return",
    replace: "if (refusal !== undefined && chains.size === 0) return",
  },
  {
    name: "SQLite, savepoint: a refused part is undone",
    file: "packages/sqlite/src/store.ts",
    find: "        if (undone) rollback.run();\n",
    replace: "",
  },
  {
    name: "SQLite, savepoint: what a refused part counted is undone",
    file: "packages/sqlite/src/store.ts",
    find: "      if (undone) tally.reset(counted);\n",
    replace: "",
  },
];
