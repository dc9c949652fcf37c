import { describe } from "vitest";
import { openPGlite } from "./clients.ts";
import { testStatePortWithNamedJobs, withoutRowLocks } from "./port-suites.ts";

const database = await openPGlite();

describe("state port, with PGlite and a version and a pool on every job", () => {
  testStatePortWithNamedJobs(database, "pglite, named", withoutRowLocks);
});
