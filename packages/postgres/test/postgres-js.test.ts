import { describeOn, findBackend } from "@chainwright/backends/vitest";
import { openPostgresJs } from "./clients.ts";
import { migrateToNext } from "./next-release.ts";
import { testStatePort } from "./port-suites.ts";

const title = "state port, with postgres.js and schemas that the next release has migrated";
describeOn(title, await findBackend("postgres"), (url) => {
  const client = openPostgresJs(url, 12);
  testStatePort(client, "postgres.js", { prepare: (schema) => migrateToNext(client.driver(), schema) });
});
