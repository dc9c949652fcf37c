import { startPostgres } from "@chainwright/backends";
import { notifyFaultCases } from "@chainwright/backends/notify-faults";
import { findBackend } from "@chainwright/backends/vitest";
import { describe, it } from "vitest";
import { createPostgresNotifyAdapter } from "../src/index.ts";
import { openPg, openPostgresJs } from "./notify-clients.ts";

const isMissing = (await findBackend("postgres")) === undefined;

describe.skipIf(isMissing).concurrent.each([
  ["pg", openPg],
  ["postgres.js", openPostgresJs],
] as const)("on %s", (_name, open) => {
  const cases = notifyFaultCases({
    start: () => startPostgres({ settings: { fsync: "off" } }),
    async open(url) {
      const { driver, close } = await open(url, "faults");
      return { adapter: createPostgresNotifyAdapter({ driver }), close };
    },
  });
  for (const { name, run } of cases) it(name, { timeout: 300_000 }, run);
});
