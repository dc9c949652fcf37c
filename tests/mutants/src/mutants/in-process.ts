import type { Mutant } from "../mutant.ts";

/** The protections of the rules of chains, and of the in-process store. */
export const inProcessMutants: readonly Mutant[] = [
  {
    name: "fence: the worker",
    in: "core:findLeased",
    find: "row.lease?.workerId === fence.workerId && row.fence === fence.fence",
    replace: "row.lease !== undefined && row.fence === fence.fence",
  },
  {
    name: "fence: its number",
    in: "core:findLeased",
    find: "row.lease?.workerId === fence.workerId && row.fence === fence.fence",
    replace: "row.lease?.workerId === fence.workerId",
  },
  {
    name: "fence: a transaction of an attempt",
    in: "core:transact",
    find: "if (holding !== undefined) hold(transactions.rows, holding);",
    replace: "",
  },
  {
    name: "fan-in: counting down",
    in: "core:countDown",
    find: "const left = blockersLeft - 1;",
    replace: "const left = 0;",
  },
  {
    name: "fan-in: waking what waits",
    in: "core:releaseEach",
    find: 'if (status === "completed") countDown(rows, dependent, { effects, now });',
    replace: 'if (status === "completed") continue;',
  },
  {
    name: "deduplication: the key",
    in: "core:beginChain",
    find: "if (holder !== undefined && (first",
    replace: "if (holder !== undefined && now < 0 && (first",
  },
  {
    name: "deduplication: the window",
    in: "core:hasPassed",
    find: "return row.heldUntil !== undefined && row.heldUntil <= now;",
    replace: "return row.heldUntil !== undefined && row.heldUntil <= now && now < 0;",
  },
  {
    name: "deduplication: the key is held until the chain ends, not its first step",
    in: "core:continueChain",
    find: "rows.complete(job, nextJob, { by, now: call.now });",
    replace: "rows.complete(job, nextJob, { by, now: call.now });\n  rows.freeKey(chain);",
  },
  {
    name: "transaction: rollback",
    in: "core:transact",
    find: "if (transactions.applied === transaction) park(transactions, transaction);",
    replace:
      "if (transactions.applied === transaction) {\n      transactions.store.journal = undefined;\n      transactions.applied = undefined;\n    }",
  },
  {
    name: "transaction: nothing is seen before its commit",
    in: "core:enter",
    find: "parkApplied(transactions);\n    return undefined;",
    replace: "return undefined;",
  },
  {
    name: "transaction: calls run again are compared",
    in: "core:apply",
    find: "if (sameReply(run(), reply)) continue;",
    replace: "if (sameReply(run(), reply) || transaction.calls.length > 0) continue;",
  },
  {
    name: "savepoint: undoing what was refused half-way",
    in: "core:allOrNothing",
    find: "if (!done) undo(store, journal);",
    replace: "if (!done) journal.length = 0;",
  },
  {
    name: "savepoint: a refusal leaves the transaction usable",
    in: "core:write",
    find: "transaction?.calls.push({ run, reply });",
    replace:
      "transaction?.calls.push({ run, reply });\n  if (transaction !== undefined && JSON.stringify(reply ?? 0).includes('\"ok\":false')) transaction.lost = true;",
  },
  {
    name: "journal: removals are undone",
    in: "core:removeRow",
    find: "if (store.journal !== undefined) noteRemoved(store, store.journal, row);",
    replace: "",
  },
  {
    name: "all or nothing: trigger",
    in: "core:trigger",
    find: "jobs.push(job);",
    replace: "jobs.push(job);\n    rows.makeReady(job, now);",
  },
  {
    name: "exchange: settle before claim",
    in: "core:exchange",
    find: "const settled = settle(rows, outcomes, now);",
    replace:
      "promote(store, now);\n  const early = claim === undefined ? nothing : claimJobs(store, claim, now);\n  const settled = settle(rows, outcomes, now);\n  if (early.length > 0) return { settled, claimed: early, nextDueInMs: undefined };",
  },
  {
    name: "claim: priority",
    in: "core:addBusy",
    find: "const below = busy.findIndex((other) => other.priority < lane.priority);",
    replace: "const below = busy.findIndex((other) => other.priority > lane.priority);",
  },
  {
    name: "claim: first in, first out",
    in: "core:enterLane",
    find: "if (youngest === undefined || youngest.position < row.position) lane.rows.push(row);",
    replace: "if (youngest === undefined || row.position > 0) lane.rows.push(row);",
  },
  {
    name: "lease: one that ran out is claimable",
    in: "core:promote",
    find: "for (let row = takeUpTo(leases, now); row !== undefined; row = takeUpTo(leases, now)) {",
    replace: "for (let row = takeUpTo(leases, -1); row !== undefined; row = takeUpTo(leases, -1)) {",
  },
  {
    name: "blockers: no ring",
    in: "core:writeNext",
    find: "const references = next.blockers.length === 0 ? undefined : findCycle(rows, value.job, chain);",
    replace:
      "const references = next.blockers.length === 0 || now > 0 ? undefined : findCycle(rows, value.job, chain);",
  },
  {
    name: "blockers: a failed one fails its dependents",
    in: "core:releaseEach",
    find: 'else if (dependent.onBlockerFailure === "fail") {',
    replace: 'else if (dependent.onBlockerFailure === "fail" && now < 0) {',
  },
  {
    name: "retry: dependents are blocked again",
    in: "core:blockAgain",
    find: "if (!rows.isReferenced(reopened)) return nothing;",
    replace: "if (!rows.isReferenced(reopened) || now > 0) return nothing;",
  },
  {
    name: "fence: it does not go back with a retry",
    in: "core:reopenJob",
    find: "row.attempt = 0;",
    replace: "row.attempt = 0;\n  row.fence = 0;",
  },
  {
    name: "fence: it does not go back with an attempt that does not count",
    in: "core:putBack",
    find: "if (!counted) row.attempt -= 1;",
    replace: "if (!counted) row.fence = row.attempt -= 1;",
  },
  {
    name: "retry: a deduplication key that another chain has stays with it",
    in: "core:blockAgain",
    find: "if (rivalOf(rows, chain, now) !== undefined) continue;",
    replace: "",
  },
  {
    name: "blockers: a failure is passed on all the way up",
    in: "core:releaseEach",
    find: "queue.push(failed);",
    replace: "",
  },
  {
    name: "deduplication: a key is free when its chain ends",
    in: "core:freeKeyAtEnd",
    find: 'if (rows.keyOf(chain)?.scope === "active") rows.freeKey(chain);',
    replace: "",
  },
  {
    name: "deduplication: a retried chain does not take a key that another has",
    in: "core:rivalOf",
    find: "return holder === undefined || holder.id === chain.id ? undefined : holder;",
    replace: 'return holder === undefined || holder.id > "" ? undefined : holder;',
  },
  {
    name: "remove: not what others are blocked by",
    in: "core:remove",
    find: "else if (blocked.length > 0) {",
    replace: "else if (blocked.length > 1_000) {",
  },
  {
    name: "counts: adjusted when a job leaves",
    in: "core:leaveIndexes",
    find: "lane.type.counts[row.status] -= 1;",
    replace: 'if (row.status !== "blocked") lane.type.counts[row.status] -= 1;',
  },
  {
    name: "tags: a list has chains with all of them",
    in: "core:filterOf",
    find: "wanted.every(([name, value])",
    replace: "wanted.slice(0, 1).every(([name, value])",
  },
  {
    name: "tags: they leave with their chain",
    in: "core:removeChain",
    find: "if (chain.shared !== undefined) removeLabels(labels, chain);",
    replace: "",
  },
];
