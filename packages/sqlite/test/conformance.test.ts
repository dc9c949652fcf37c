import { named, ofPlainJobs } from "@chainwright/backends/named-jobs";
import { testCases } from "@chainwright/backends/vitest";
import { behaviourConformance, notifyConformance, stateConformance } from "@chainwright/conformance";
import { describe } from "vitest";
import { betterSqlite3Library as library, openNotify, openState, openUnmigrated, without } from "./backends.ts";

const createState = () => openState(library);
const createUnmigrated = () => openUnmigrated(library);
const createNotify = () => openNotify(library);

describe("state port, with better-sqlite3", () => {
  testCases(stateConformance({ createAdapter: createState, createUnmigrated, without }));
});

describe("state port, with better-sqlite3 and a version and a pool on every job", () => {
  const createAdapter = async () => named(await createState());
  testCases(stateConformance({ createAdapter, createUnmigrated, without }).filter(ofPlainJobs));
});

describe("notify port, with better-sqlite3", () => {
  testCases(notifyConformance({ createAdapter: createNotify }));
});

describe("clients and workers, with better-sqlite3", () => {
  testCases(behaviourConformance({ createState, createNotify, without }));
});
