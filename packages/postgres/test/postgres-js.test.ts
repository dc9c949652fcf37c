import { describeOn, findBackend } from "@chainwright/backends/vitest";
import { openPostgresJs } from "./clients.ts";
import { testStatePort } from "./port-suites.ts";

describeOn("state port, with postgres.js", await findBackend("postgres"), (url) =>
  testStatePort(openPostgresJs(url, 12), "postgres.js"),
);
