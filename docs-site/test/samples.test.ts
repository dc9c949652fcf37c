import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { findBackend } from "@chainwright/backends/vitest";
import { describe, expect, it } from "vitest";
import { collectSamples } from "../samples/collect.ts";
import { root } from "../samples/root.ts";

const postgres = await findBackend("postgres");
// A folder below docs-site, so that the imports of the samples are resolved.
const folder = join(root, "docs-site/generated/run");
mkdirSync(folder, { recursive: true });

const runnable = collectSamples().filter(({ sample }) => sample.prints !== undefined);

describe("a program of a page prints what the page shows", { timeout: 60_000 }, () => {
  for (const { sample, module } of runnable) {
    const needsPostgres = sample.code.includes("POSTGRES_URL");
    it.skipIf(needsPostgres && postgres === undefined)(`${sample.file}:${sample.line}`, async () => {
      const program = join(folder, module.name);
      writeFileSync(program, module.text);
      const cwd = mkdtempSync(join(tmpdir(), "chainwright-sample-"));
      try {
        expect(await run(program, cwd)).toBe(sample.prints?.trim());
      } finally {
        rmSync(cwd, { recursive: true, force: true });
      }
    });
  }
});

async function run(program: string, cwd: string): Promise<string> {
  const flags = ["--conditions=@chainwright/source", "--disable-warning=ExperimentalWarning", ...stripping()];
  const env = { ...process.env, ...(postgres === undefined ? {} : { POSTGRES_URL: postgres }) };
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, program], { cwd, env });
  return stdout.trim();
}

/** Node before 22.18 needs a flag to run TypeScript. */
function stripping(): readonly string[] {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  return major === 22 && minor < 18 ? ["--experimental-strip-types"] : [];
}
