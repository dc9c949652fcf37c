import type { Mutant } from "../mutant.ts";

/** Keep chains from stopping without what follows, and from being undone twice, too early, in another order, or without a reason. */
export const endMutants: readonly Mutant[] = [
  {
    name: "ends: each compensation waits for the one before it",
    in: "core:startInTurn",
    find: `const blockers: readonly Chain[] = before === undefined ? nothing : [before]; const status = before !== undefined ? "blocked" : dueAt`,
    replace: "const blockers: readonly Chain[] = nothing;\n    const status = dueAt",
  },
  {
    name: "ends: the last step is undone first",
    in: "core:startFollowUps",
    find: "rows.ends.compensationsOf(chain).toReversed().map(undoing)",
    replace: "rows.ends.compensationsOf(chain).map(undoing)",
  },
  {
    name: "ends: a chain that completes starts nothing",
    in: "core:followUpsOf",
    find: 'status === "completed" ? passOn(rows, chain, now) : startFollowUps',
    replace: "startFollowUps",
  },
  {
    name: "ends: what follows a stopped chain waits while its attempt holds the lease",
    in: "core:startFollowUps",
    find: "held === undefined ? now : Math.max(now, held.until)",
    replace: "now",
  },
  {
    name: "ends: what follows begins when the attempt hands in",
    in: "core:lost",
    find: 'reason === "lease-lost" ? undefined : readyAfter(rows, attempt, now)',
    replace: "undefined",
  },
  {
    name: "ends: what waits for an attempt is not triggered",
    in: "core:awaitedStop",
    find: "link?.row?.isClaimed === false ? stopped : undefined",
    replace: "undefined",
  },
  {
    name: "ends: only the attempt that ran when its chain stopped lets them begin",
    in: "core:readyAfter",
    find: "|| held.workerId !== workerId || held.fence !== fence",
    replace: "",
  },
  {
    name: "ends: only the attempt that holds a job records what undoes it",
    in: "core:compensate",
    find: "rows.leasedJob(target)",
    replace: "rows.job(target.jobId)",
  },
  {
    name: "ends: a step is undone once, by what it recorded last",
    in: "core:createEnds",
    find: "filter(({ step, isOwn }) => step !== job.step || !isOwn)",
    replace: "filter(() => true)",
  },
  {
    name: "ends: a chain is undone together with the blockers that it started",
    in: "core:passOn",
    find: "rows.ends.pass(chain, job);",
    replace: "",
  },
  {
    name: "ends: a blocker that completes after its chain has stopped is undone",
    in: "core:passOn",
    find: 'if (status === "active") return nothing;',
    replace: 'if (status !== "completed") return nothing;',
  },
  {
    name: "ends: a chain is cancelled at its deadline",
    in: "core:expireDeadlines",
    find: "if (next > now) return",
    replace: "if (next > 0) return",
  },
  {
    name: "ends: a deadline counts from when the worker asked for it, not from the reply",
    in: "core:createDeadlineChore",
    find: "askedAt + next",
    replace: "clock.now() + next",
  },
  {
    name: "ends: a chain that has ended has no deadline",
    in: "core:passOn",
    find: "rows.ends.dropDeadline(chain);",
    replace: "",
  },
  {
    name: "ends: a cancelled chain takes only those blockers with it that no other job waits for",
    in: "core:addBlockers",
    find: "if (isNeeded(rows, chain, endings)) continue;",
    replace: "",
  },
  {
    name: "ends: a chain is not retried once a follow-up has begun",
    in: "core:begunFollowUps",
    find: "row.isClaimed ||",
    replace: "",
  },
  {
    name: "ends: a retry cancels what has not begun",
    in: "core:withdraw",
    find: "if (row === undefined) continue;",
    replace: "continue;",
  },
  {
    name: "ends: retention leaves a stopped chain while a follow-up is open",
    in: "core:expire",
    find: "|| hasOpenFollowUps(chain)",
    replace: "",
  },
];
