import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { packageVersion } from "../src/package-version.ts";

it("agents are told the version of the package", () => {
  const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
    readonly version: string;
  };
  expect(packageVersion).toBe(manifest.version);
});
