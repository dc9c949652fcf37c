import { testCases } from "@chainwright/backends/vitest";
import { behaviourConformance, notifyConformance, stateConformance } from "@chainwright/conformance";
import { describe } from "vitest";
import { betterSqlite3Library as library, openNotify, openState, openUnmigrated, without } from "./backends.ts";

const createState = () => openState(library);
const createNotify = () => openNotify(library);

describe("state port, with better-sqlite3", () => {
  testCases(stateConformance({ createAdapter: createState, createUnmigrated: () => openUnmigrated(library), without }));
});

describe("notify port, with better-sqlite3", () => {
  testCases(notifyConformance({ createAdapter: createNotify }));
});

describe("clients and workers, with better-sqlite3", () => {
  testCases(behaviourConformance({ createState, createNotify, without }));
});
