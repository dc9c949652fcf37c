import { behaviourConformance, notifyConformance, stateConformance } from "@chainwright/conformance";
import type { ConformanceCase } from "@chainwright/conformance";
import { describe, test } from "vitest";
import { betterSqlite3Library, nodeSqliteLibrary, openNotify, openState, openUnmigrated } from "./backends.ts";
import type { Handle, Library } from "./backends.ts";

const without = { rowLocks: "it has one writer" };

function run(cases: readonly ConformanceCase[]): void {
  for (const { name, skipped, run: play } of cases) test.skipIf(skipped !== undefined)(name, play);
}

function conforms<Tx extends Handle>(library: Library<Tx>): void {
  const createState = () => openState(library);
  const createNotify = () => openNotify(library);
  describe("state port", () => {
    run(stateConformance<Tx>({ createAdapter: createState, createUnmigrated: () => openUnmigrated(library), without }));
  });
  describe("notify port", () => {
    run(notifyConformance({ createAdapter: createNotify }));
  });
  describe("clients and workers", () => {
    run(behaviourConformance<Tx>({ createState, createNotify, without }));
  });
}

describe("better-sqlite3", () => {
  conforms(betterSqlite3Library);
  describe("clients and workers that look by themselves", () => {
    run(behaviourConformance({ createState: () => openState(betterSqlite3Library), without }));
  });
});

describe("node:sqlite", () => {
  conforms(nodeSqliteLibrary);
});
