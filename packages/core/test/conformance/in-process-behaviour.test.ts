import { testCases } from "@chainwright/backends/vitest";
import { describe } from "vitest";
import { behaviourConformance } from "@chainwright/conformance";
import { createInProcessNotifyAdapter } from "../../src/in-process/notify-adapter.ts";
import { createInProcessStateAdapter } from "../../src/in-process/state-adapter.ts";

const createState = async () => ({ adapter: createInProcessStateAdapter(), close: async () => {} });
const createNotify = async () => ({ adapter: createInProcessNotifyAdapter(), close: async () => {} });
const without = { userTable: "it keeps no tables", rowLocks: "it runs one transaction at a time" };

describe("clients and workers, in-process, with hints", () => {
  testCases(behaviourConformance({ createState, createNotify, without }), { timeout: 30_000 });
});

describe("clients and workers, in-process, without hints", () => {
  testCases(behaviourConformance({ createState, without }), { timeout: 30_000 });
});
