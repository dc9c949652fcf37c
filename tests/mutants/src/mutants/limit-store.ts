import type { Mutant } from "../mutant.ts";

/** Keep limits strict, fair, and from leaving jobs behind, in the in-process store. */
export const limitStoreMutants: readonly Mutant[] = [
  {
    name: "limits, in-process: no more places than a limit has",
    in: "core:isOpen",
    find: "gate.holders.size >= rule.concurrency",
    replace: "gate.holders.size > rule.concurrency",
  },
  {
    name: "limits, in-process: no beginning without a token",
    in: "core:visit",
    find: "spendTokens(store, lane.gates, now);",
    replace: "",
  },
  {
    name: "limits, in-process: tokens that have rested are not forgotten before they are used",
    in: "core:hasToken",
    find: "tokens.keys.length > count &&",
    replace: "",
  },
  {
    name: "limits, in-process: a place that is kept for a retry stays taken",
    in: "core:putBack",
    find: "keepsPlaces ? keptPlaces : undefined",
    replace: "undefined",
  },
  {
    name: "limits, in-process: a job that runs holds its places",
    in: "core:hasPlaces",
    find: '(status === "ready" || status === "scheduled") && lease !== undefined',
    replace: 'status === "scheduled" && lease !== undefined',
  },
  {
    name: "limits, in-process: a place that becomes free opens a lane",
    in: "core:leaveLimits",
    find: "if (gate.closed.size > 0) limits.freed.add(gate);",
    replace: "",
  },
  {
    name: "limits, in-process: a change of a limit opens lanes",
    in: "core:free",
    find: "if (gate.closed.size > 0) limits.freed.add(gate);",
    replace: "",
  },
  {
    name: "limits, in-process: a gate that opens by itself is looked at then",
    in: "core:openNext",
    find: "watch(closed, now);",
    replace: "",
  },
  {
    name: "limits, in-process: claims look at lanes only when they are asked to",
    in: "core:claimWithLimits",
    find: "limits.isFresh = false;",
    replace: "",
  },
  {
    name: "limits, in-process: a claim in a transaction that rolls back spends no token",
    in: "core:spendTokens",
    find: "journal?.push(",
    replace: "[].forEach(",
  },
  {
    name: "limits, in-process: a change in a transaction that rolls back is undone",
    in: "core:setFacts",
    find: "store.journal?.push(",
    replace: "[].forEach(",
  },
  {
    name: "limits, in-process: a declaration without a version replaces none that has one",
    in: "core:declare",
    find: "(codeVersion ?? -Infinity) < said.codeVersion",
    replace: "(codeVersion ?? Infinity) < said.codeVersion",
  },
  {
    name: "limits, in-process: a probe whose lease has run out is still the probe",
    in: "core:isLeased",
    find: "return row.lease !== keptPlaces;",
    replace: 'return row.status === "running";',
  },
  {
    name: "limits, in-process: maintenance removes keys that no job has",
    in: "core:removeLanes",
    find: "setRegistered(lane.type, lane, false);",
    replace: "",
  },
  {
    name: "limits, in-process: a type that no worker takes keeps no shared key closed",
    in: "core:keepLimits",
    find: "giveBackAbandoned(store, limit, now)",
    replace: "false",
  },
];
