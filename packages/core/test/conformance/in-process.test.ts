import { describe, test } from "vitest";
import { stateConformance } from "../../src/conformance/index.ts";
import { createInProcessStateAdapter } from "../../src/in-process/state-adapter.ts";

const state = stateConformance({
  createAdapter: async () => ({ adapter: createInProcessStateAdapter(), close: async () => {} }),
  without: { userTable: "it keeps no tables", unmigrated: "there is nothing to migrate" },
});

describe("state port", () => {
  for (const { name, skipped, run } of state) test.skipIf(skipped !== undefined)(name, run);
});
