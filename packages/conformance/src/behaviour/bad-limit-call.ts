import { call, type BadCall } from "./bad-input-call.ts";

/** Calls about limits that are refused, whatever limits there are. */
export const badLimitCalls: readonly BadCall[] = [
  ["changeLimit without options", (s) => call(s.client.changeLimit, undefined), "invalid-input"],
  ["changeLimit without a limit", (s) => call(s.client.changeLimit, { concurrency: 1 }), "invalid-input"],
  [
    "changeLimit of a limit without a name",
    (s) => call(s.client.changeLimit, { limit: "", concurrency: 1 }),
    "invalid-input",
  ],
  ["changeLimit without a number", (s) => call(s.client.changeLimit, { limit: "a", key: "b" }), "invalid-input"],
  ["changeLimit to no place", (s) => call(s.client.changeLimit, { limit: "a", concurrency: 0 }), "invalid-input"],
  ["changeLimit to half a place", (s) => call(s.client.changeLimit, { limit: "a", concurrency: 0.5 }), "invalid-input"],
  [
    "changeLimit to a rate of 10,001",
    (s) => call(s.client.changeLimit, { limit: "a", rate: { count: 10_001, perMs: 1 } }),
    "invalid-input",
  ],
  [
    "changeLimit of an empty key",
    (s) => call(s.client.changeLimit, { limit: "a", key: "", concurrency: 1 }),
    "invalid-input",
  ],
  ["changeLimit with an unknown option", (s) => call(s.client.changeLimit, { limit: "a", weight: 1 }), "invalid-input"],
  ["resetLimit with a number", (s) => call(s.client.resetLimit, { limit: "a", concurrency: 1 }), "invalid-input"],
  ["resetLimit of a key with NUL", (s) => call(s.client.resetLimit, { limit: "a", key: "\u0000" }), "invalid-input"],
  ["pauseLimit for no time", (s) => call(s.client.pauseLimit, { limit: "a", forMs: 0 }), "invalid-input"],
  ["pauseLimit of a number as key", (s) => call(s.client.pauseLimit, { limit: "a", key: 1 }), "invalid-input"],
  ["resumeLimit with a time", (s) => call(s.client.resumeLimit, { limit: "a", forMs: 1 }), "invalid-input"],
  ["listLimits of a key without a limit", (s) => call(s.client.listLimits, { key: "a" }), "invalid-input"],
  ["listLimits of a busy key", (s) => call(s.client.listLimits, { limit: "a", key: "a", busy: true }), "invalid-input"],
  [
    "listLimits of a key from a cursor",
    (s) => call(s.client.listLimits, { limit: "a", key: "a", cursor: '["a","b"]' }),
    "invalid-input",
  ],
  ["listLimits of a text as busy", (s) => call(s.client.listLimits, { busy: "yes" }), "invalid-input"],
  ["listLimits with a page of none", (s) => call(s.client.listLimits, { pageSize: 0 }), "invalid-input"],
  ["listLimits with a number as limit", (s) => call(s.client.listLimits, { limit: 10 }), "invalid-input"],
  ["listLimits from another cursor", (s) => call(s.client.listLimits, { cursor: "[1,2]" }), "invalid-input"],
  ["listDeclaredLimits of a limit", (s) => call(s.client.listDeclaredLimits, { limit: "a" }), "invalid-input"],
];
