/** The suites that are data, on `POSTGRES_URL`, for the mutants to be run against: see tests/mutants. */
import { behaviourConformance, stateConformance } from "@chainwright/conformance";
import { openPgWithOddSettings } from "./clients.ts";
import { createSchemas } from "./schemas.ts";

const url = process.env["POSTGRES_URL"];
if (url === undefined) throw new TypeError("POSTGRES_URL names the server");
const schemas = createSchemas(openPgWithOddSettings(url, 12), "probe");

export const suites = {
  "state cases": {
    cases: stateConformance({ createAdapter: schemas.take, createUnmigrated: schemas.takeUnmigrated }),
    limitMs: 20_000,
  },
  "behaviour cases": { cases: behaviourConformance({ createState: schemas.take }), limitMs: 20_000 },
};
