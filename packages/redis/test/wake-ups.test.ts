import { findBackend } from "@chainwright/backends/vitest";
import { createInProcessStateAdapter } from "chainwright";
import { behaviourConformance } from "@chainwright/conformance";
import { describe, test } from "vitest";
import { openBackend } from "./backend.ts";
import { openIoRedis, openNodeRedis } from "./clients.ts";

const url = await findBackend("redis");

/** The cases about clients and workers with and without wake-ups. */
const areas = /^(a wake-up|wake-ups that fail|looking): /;
const createState = async () => ({ adapter: createInProcessStateAdapter(), close: async () => {} });
const without = { userTable: "it has no tables", rowLocks: "it runs one transaction at a time" };

describe.skipIf(url === undefined).each([
  ["node-redis", openNodeRedis],
  ["ioredis", openIoRedis],
] as const)("wake-ups of clients and workers, on %s", (_name, open) => {
  const cases = behaviourConformance({ createState, createNotify: () => openBackend(open, url ?? ""), without });
  for (const { name, run } of cases.filter((each) => areas.test(each.name))) test(name, run);
});
