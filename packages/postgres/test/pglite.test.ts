import { describe } from "vitest";
import { openPGlite } from "./clients.ts";
import { testStatePort, withoutRowLocks } from "./port-suites.ts";

const database = await openPGlite();
describe("state port, with PGlite", () => {
  testStatePort(database, "pglite", withoutRowLocks);
});
