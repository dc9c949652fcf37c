import { describeOtherDrivers, testCases } from "@chainwright/backends/vitest";
import { behaviourConformance } from "@chainwright/conformance";
import { betterSqlite3Library, nodeSqliteLibrary, openNotify, openState, without } from "./backends.ts";

describeOtherDrivers("clients and workers, with node:sqlite", () => {
  const createState = () => openState(nodeSqliteLibrary);
  testCases(behaviourConformance({ createState, createNotify: () => openNotify(nodeSqliteLibrary), without }));
});

describeOtherDrivers("clients and workers that get no hints, with better-sqlite3", () => {
  testCases(behaviourConformance({ createState: () => openState(betterSqlite3Library), without }));
});
