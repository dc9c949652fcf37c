import { testCases } from "@chainwright/backends/vitest";
import { behaviourConformance, stateConformance } from "@chainwright/conformance";
import { describe } from "vitest";
import { openReopened } from "./backend.ts";
import { stateWithout } from "./without.ts";

describe("state port, with a journal that is opened again after each case", () => {
  testCases(stateConformance({ createAdapter: openReopened, without: stateWithout }));
});

describe("clients and workers, with a journal that is opened again after each case", () => {
  const { userTable, rowLocks } = stateWithout;
  testCases(behaviourConformance({ createState: openReopened, without: { userTable, rowLocks } }), { timeout: 30_000 });
});
