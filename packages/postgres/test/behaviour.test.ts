import { describeOn, findBackend } from "@chainwright/backends/vitest";
import { openPg } from "./clients.ts";
import { testBehaviour } from "./port-suites.ts";

describeOn("clients and workers, with pg", await findBackend("postgres"), (url) =>
  testBehaviour(openPg(url, 12), "behaviour on pg"),
);
