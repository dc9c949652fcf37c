import { testCases } from "@chainwright/backends/vitest";
import { behaviourConformance, stateConformance } from "@chainwright/conformance";
import { describe } from "vitest";
import { openReopened } from "./backend.ts";

const without = {
  userTable: "it keeps no tables",
  unmigrated: "there is nothing to migrate",
  rowLocks: "it runs one transaction at a time",
  awaited: "no other process shares it, so it notes nothing",
  faults: "faults that are planted in memory are in no log",
};

describe("state port, with a journal that is opened again after each case", () => {
  testCases(stateConformance({ createAdapter: openReopened, without }));
});

describe("clients and workers, with a journal that is opened again after each case", () => {
  const { userTable, rowLocks } = without;
  testCases(behaviourConformance({ createState: openReopened, without: { userTable, rowLocks } }), { timeout: 30_000 });
});
