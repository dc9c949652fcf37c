import { describeOn, findBackend, testCases } from "@chainwright/backends/vitest";
import { createInProcessStateAdapter } from "chainwright";
import { behaviourConformance } from "@chainwright/conformance";
import { openBackend } from "./backend.ts";
import { openIoRedis, openNodeRedis } from "./clients.ts";

const url = await findBackend("redis");

/** The cases about clients and workers with and without wake-ups. */
const areas = /^(a wake-up|wake-ups that fail|looking): /;
const createState = async () => ({ adapter: createInProcessStateAdapter(), close: async () => {} });
const without = { userTable: "it has no tables", rowLocks: "it runs one transaction at a time" };

for (const [name, open] of [
  ["node-redis", openNodeRedis],
  ["ioredis", openIoRedis],
] as const) {
  describeOn(`wake-ups of clients and workers, on ${name}`, url, (server) => {
    const cases = behaviourConformance({ createState, createNotify: () => openBackend(open, server), without });
    testCases(cases.filter(({ name: rule }) => areas.test(rule)));
  });
}
