import type { Mutant } from "../mutant.ts";

/** Keep jobs from passing their limits, and from waiting longer than these say. */
export const limitMutants: readonly Mutant[] = [
  {
    name: "limits: a job is written with its keys",
    in: "core:prepareJob",
    find: "...(limits !== undefined && { limits }),",
    replace: "",
  },
  {
    name: "limits: an empty key is refused",
    in: "core:checkLimitKey",
    find: 'value === "" || value.length > longestKey',
    replace: "value.length > longestKey",
  },
  {
    name: "limits: a worker declares them before its first claim",
    in: "core:exchangeOnce",
    find: "if (claim !== undefined && !loop.isDeclared) {",
    replace: "if (claim === undefined && !loop.isDeclared) {",
  },
  {
    name: "limits: jobs are not claimed ahead of the slots",
    in: "core:limitedPart",
    find: "startable: startable < limit ? startable : undefined,",
    replace: "startable: startable < limit ? limit : undefined,",
  },
  {
    name: "limits: claims ahead of the slots leave half of the places",
    in: "core:hasRoomAhead",
    find: "Math.floor(rule.concurrency / 2)",
    replace: "rule.concurrency",
  },
  {
    name: "limits: jobs of a key that is closed are given back before they begin",
    in: "core:freeSlot",
    find: "if (result.closedKeys !== undefined) handBackWaiting(slots, isUnder(result.closedKeys));",
    replace: "",
  },
  {
    name: "limits: claims look for jobs that another claim made ready",
    in: "core:limitedPart",
    find: "limited: true",
    replace: "limited: undefined",
  },
  {
    name: "limits: a worker without limits hears from the store that such jobs wait",
    in: "core:createChores",
    find: "noteLimited(reply.limited === true);",
    replace: "noteLimited(false);",
  },
  {
    name: "limits: a free place that was not taken again is announced",
    in: "core:tell",
    find: "count > 0 &&",
    replace: "count > 1 &&",
  },
  {
    name: "limits: a place that complete frees is taken again at once",
    in: "core:freeSlot",
    find: "slots.onEnded(held.job);",
    replace: "void slots;",
  },
  {
    name: "limits: the end of a job from outside announces its place",
    in: "core:freedByEnd",
    find: "limits.map(",
    replace: "limits.slice(0, 0).map(",
  },
  {
    name: "limits: holdKey closes the key for all workers",
    in: "core:failedResult",
    find: "await pauseHeldKey(engine, fence.workerId, hold);",
    replace: "await Promise.resolve();",
  },
  {
    name: "limits: a failure of an attempt that began before its key was closed does not count",
    in: "core:breakerFailed",
    find: "if (state.probe !== jobId) return",
    replace: "if (jobId === state.probe + state.probe) return",
  },
  {
    name: "limits: a failure counts once",
    in: "core:breakerFailed",
    find: "if (before.some((each) => each.attempt === attempt)) return { state, hasOpened: false };",
    replace: "",
  },
  {
    name: "limits: failures count only within the time of the breaker",
    in: "core:breakerFailed",
    find: "Math.abs(now - at) < breaker.withinMs",
    replace: "at <= now",
  },
  {
    name: "limits: a half-open key lets one job begin at a time",
    in: "core:breakerLets",
    find: 'isLeased(state.probe) ? "none" : "one"',
    replace: 'isLeased(state.probe) ? "one" : "one"',
  },
  {
    name: "limits: a failure that counts refuses does not count",
    in: "core:counts",
    find: "return counted;",
    replace: "return true;",
  },
  {
    name: "limits: an attempt that was put off has not failed",
    in: "core:howItEnded",
    find: "outcome.errors === undefined || isUnreadable(error)",
    replace: "isUnreadable(error)",
  },
  {
    name: "limits: a probe that was taken over ends the breaker",
    in: "core:reportsOf",
    find: "breaker !== undefined && fence > 1",
    replace: "false",
  },
  {
    name: "limits: a change of one that nothing has declared is refused",
    in: "core:assertDeclared",
    find: "throw limitNotFound(limit);",
    replace: "return;",
  },
  {
    name: "limits: a retry with a new input has the keys of that input",
    in: "core:reopen",
    find: ": { version, limits };",
    replace: ": { version, limits: undefined };",
  },
];
