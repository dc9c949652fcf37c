import { describe, test } from "vitest";
import { stateConformance } from "../../src/conformance/index.ts";
import { createInProcessStateAdapter } from "../../src/in-process/state-adapter.ts";

const cases = stateConformance({
  createAdapter: async () => ({ adapter: createInProcessStateAdapter(), close: async () => {} }),
  without: {
    userTable: "it keeps no tables",
    unmigrated: "there is nothing to migrate",
    rowLocks: "it runs one transaction at a time",
  },
});

describe("state port, in-process", () => {
  for (const rule of cases) test.skipIf(rule.skipped !== undefined)(rule.name, () => rule.run());
});
