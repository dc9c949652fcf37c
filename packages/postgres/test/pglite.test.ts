import { describe } from "vitest";
import { openPGlite } from "./clients.ts";
import { testStatePort, testStatePortWithNamedJobs, withoutRowLocks } from "./port-suites.ts";

const database = await openPGlite();
describe("state port, with PGlite", () => {
  testStatePort(database, "pglite", { without: withoutRowLocks });
});

const other = await openPGlite();
describe("state port, with PGlite and a version and a pool on every job", () => {
  testStatePortWithNamedJobs(other, "pglite, named", withoutRowLocks);
});
