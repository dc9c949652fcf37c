import { testCases } from "@chainwright/backends/vitest";
import { notifyConformance, stateConformance } from "@chainwright/conformance";
import { describe } from "vitest";
import { nodeSqliteLibrary as library, openNextState, openNotify, openUnmigrated, without } from "./backends.ts";

describe("state port, with node:sqlite and files that the next release has migrated", () => {
  const createAdapter = () => openNextState(library);
  testCases(stateConformance({ createAdapter, createUnmigrated: () => openUnmigrated(library), without }));
});

describe("notify port, with node:sqlite", () => {
  testCases(notifyConformance({ createAdapter: () => openNotify(library) }));
});
