import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { outputOf } from "@chainwright/backends/program-output";
import { expect, it } from "vitest";

it("ingestion: 2,000 documents and 8 scans in threads are read before the report is written", async () => {
  const folder = mkdtempSync(join(tmpdir(), "chainwright-ingestion-"));
  const output = await outputOf(new URL("../src/ingestion/main.ts", import.meta.url), {
    args: [join(folder, "jobs.db")],
  });
  rmSync(folder, { recursive: true });
  expect(output).toBe(`{ documents: 2000, words: ${8 * 3 + 1_992 * 2} }\n`);
}, 60_000);
