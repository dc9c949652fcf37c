import { named, ofPlainJobs } from "@chainwright/backends/named-jobs";
import { testCases } from "@chainwright/backends/vitest";
import { behaviourConformance, notifyConformance, stateConformance } from "@chainwright/conformance";
import { describe } from "vitest";
import { betterSqlite3Library as library, openNotify, openState, openUnmigrated, without } from "./backends.ts";

const createState = () => openState(library);
const createUnmigrated = () => openUnmigrated(library);
const createNotify = () => openNotify(library);

// With plain jobs the cases run on node:sqlite and, through ORMs, on better-sqlite3.
describe("state port, with better-sqlite3 and a version and a pool on every job", () => {
  const createAdapter = async () => named(await createState());
  const options = { createUnmigrated, without };
  testCases(stateConformance({ ...options, createAdapter }).filter(ofPlainJobs));
  testCases(stateConformance({ ...options, createAdapter: createState }).filter((each) => !ofPlainJobs(each)));
});

describe("notify port, with better-sqlite3", () => {
  testCases(notifyConformance({ createAdapter: createNotify }));
});

describe("clients and workers, with better-sqlite3", () => {
  testCases(behaviourConformance({ createState, createNotify, without }));
});
