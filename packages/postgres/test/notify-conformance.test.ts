import { describeOn, findBackend, testCases } from "@chainwright/backends/vitest";
import { notifyConformance } from "@chainwright/conformance";
import { openBackend } from "./notify-backend.ts";
import { openPg, openPostgresJs } from "./notify-clients.ts";

const url = await findBackend("postgres");

for (const [name, open] of [
  ["pg", openPg],
  ["postgres.js", openPostgresJs],
] as const) {
  describeOn(`notify port, on ${name}`, url, (at) => {
    testCases(notifyConformance({ createAdapter: () => openBackend(open, at) }));
  });
}
