import { describe, test } from "vitest";
import { behaviourConformance } from "@chainwright/conformance";
import { createInProcessNotifyAdapter } from "../../src/in-process/notify-adapter.ts";
import { createInProcessStateAdapter } from "../../src/in-process/state-adapter.ts";

const createState = async () => ({ adapter: createInProcessStateAdapter(), close: async () => {} });
const createNotify = async () => ({ adapter: createInProcessNotifyAdapter(), close: async () => {} });
const without = { userTable: "it keeps no tables", rowLocks: "it runs one transaction at a time" };

describe("clients and workers, in-process, with hints", () => {
  for (const rule of behaviourConformance({ createState, createNotify, without })) {
    test.skipIf(rule.skipped !== undefined)(rule.name, { timeout: 30_000 }, () => rule.run());
  }
});

describe("clients and workers, in-process, without hints", () => {
  for (const rule of behaviourConformance({ createState, without })) {
    test.skipIf(rule.skipped !== undefined)(rule.name, { timeout: 30_000 }, () => rule.run());
  }
});
