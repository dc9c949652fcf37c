import { named, ofPlainJobs } from "@chainwright/backends/named-jobs";
import { testCases } from "@chainwright/backends/vitest";
import { describe } from "vitest";
import { stateConformance } from "@chainwright/conformance";
import { openInProcess } from "../in-process/backend.ts";

const without = {
  userTable: "it keeps no tables",
  unmigrated: "there is nothing to migrate",
  rowLocks: "it runs one transaction at a time",
  awaited: "no other process shares it, so it notes nothing",
};

describe("state port, in-process", () => {
  testCases(stateConformance({ createAdapter: openInProcess, without }));
});

describe("state port, in-process, with a version and a pool on every job", () => {
  const createAdapter = async () => named(await openInProcess());
  testCases(stateConformance({ createAdapter, without }).filter(ofPlainJobs));
});
