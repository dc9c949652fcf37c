import { findBackend } from "@chainwright/backends/vitest";
import { notifyConformance } from "@chainwright/conformance";
import { describe, test } from "vitest";
import { openBackend } from "./notify-backend.ts";
import { openPg, openPostgresJs } from "./notify-clients.ts";

const url = await findBackend("postgres");

describe.each([
  ["pg", openPg],
  ["postgres.js", openPostgresJs],
] as const)("notify port, on %s", (_name, open) => {
  const cases = notifyConformance({ createAdapter: () => openBackend(open, url ?? "") });
  for (const { name, skipped, run } of cases) test.skipIf(url === undefined || skipped !== undefined)(name, run);
});
