import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeOn, describeOtherDrivers, findBackend, testCases } from "@chainwright/backends/vitest";
import { afterAll, describe } from "vitest";
import { openLastRelease } from "./last-release.ts";
import { postgresStores, sqliteStores, type MixedStores } from "./mixed-stores.ts";

/*
 * The suites of the last release, with its adapters, on stores that this release has migrated. What a case of the state port lets
 * another process do is done by an adapter of this release.
 */

const folder = mkdtempSync(join(tmpdir(), "chainwright-last-release-"));
const last = await openLastRelease(folder);
afterAll(() => rmSync(folder, { recursive: true }));

const timeout = 30_000;
const ofTheLast = {
  faults: "the tests of each release plant faults",
  unmigrated: "the store is migrated",
};

/** What this release does otherwise on purpose, by the name of the case. */
const changed: Readonly<Record<string, string>> = {
  "bad input: a deduplication key and a type name at their limits are accepted and distinguished, with any characters":
    "names of job types have no control characters any more, because one begins the version and the pool in a claim name",
};

const keepsLostWorkers = "upkeep is a function of the store, and this release keeps workers that died for a day";
/** The same for the state port on Postgres. */
const changedOnPostgres: typeof changed = {
  "upkeep: a pass forgets no more workers than its limit, and reports that there are more": keepsLostWorkers,
  "upkeep: a pass over all chores reports what any of them has left": keepsLostWorkers,
};

function unchanged<Each extends { readonly name: string; readonly skipped: string | undefined }>(
  cases: readonly Each[],
  otherwise = changed,
): readonly Each[] {
  return cases.map((each) => ({ ...each, skipped: each.skipped ?? otherwise[each.name] }));
}

function testOn<Tx>(
  stores: MixedStores<Tx>,
  without: Readonly<Record<string, string>>,
  changedInState: typeof changed = {},
): void {
  afterAll(() => stores.end());
  describe("and other processes of this release", () => {
    testCases(unchanged(last.stateConformance({ createAdapter: stores.take, without }), changedInState), { timeout });
  });
  describeOtherDrivers("and its clients and workers", () => {
    testCases(unchanged(last.behaviourConformance({ createState: stores.take, without })), { timeout });
  });
}

describe("the last release on a SQLite file that this one has migrated", () => {
  testOn(sqliteStores(last, folder), { ...ofTheLast, rowLocks: "SQLite has one writer and locks no rows" });
});

const title = "the last release on a Postgres schema that this one has migrated";
describeOn(title, await findBackend("postgres"), (url) =>
  testOn(postgresStores(last, url, "mixed"), ofTheLast, changedOnPostgres),
);
