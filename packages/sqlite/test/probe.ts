/** The suites that are data, with better-sqlite3, to run mutants against: see tests/mutants. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { behaviourConformance, stateConformance } from "@chainwright/conformance";
import { betterSqlite3Library, openState, openUnmigrated, without } from "./backends.ts";

const folder = mkdtempSync(join(tmpdir(), "chainwright-probe-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
let files = 0;
const nextPath = () => join(folder, `${(files += 1)}.db`);
const createState = () => openState(betterSqlite3Library, nextPath());
const createUnmigrated = () => openUnmigrated(betterSqlite3Library, nextPath());

export const suites = {
  "state cases": {
    cases: stateConformance({ createAdapter: createState, createUnmigrated, without }),
    limitMs: 10_000,
  },
  "behaviour cases": { cases: behaviourConformance({ createState, without }), limitMs: 10_000 },
};
