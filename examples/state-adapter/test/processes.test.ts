import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testCases } from "@chainwright/backends/vitest";
import { processConformance } from "@chainwright/conformance";
import { describe, expect, it } from "vitest";
import { createFileStateAdapter } from "../src/adapter.ts";
import { createFolder } from "../src/place.ts";

function casesWith(program: string) {
  return processConformance({
    program: new URL(`fixtures/${program}.ts`, import.meta.url),
    nodeFlags: ["--conditions=@chainwright/source", "--experimental-strip-types", "--no-warnings"],
    async createStore() {
      const store = mkdtempSync(join(tmpdir(), "chainwright-folder-"));
      const stateAdapter = createFileStateAdapter(createFolder(store));
      await stateAdapter.migrate();
      return { store, stateAdapter, close: async () => rmSync(store, { recursive: true }) };
    },
  });
}

describe("a folder that processes share", () => {
  testCases(casesWith("store-process"));
});

describe("the suite of processes", () => {
  it("finds an effect that happened twice because it was not written in the transaction of its outcome", async () => {
    const found = casesWith("broken-process").find(({ name }) => name.includes("in a transaction, before its commit"));
    await expect(found?.run()).rejects.toThrow("the jobs with an effect, each once");
  });
});
