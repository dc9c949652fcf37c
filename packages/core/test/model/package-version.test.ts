import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { packageVersion } from "../../src/model/package-version.ts";

it("workers report the version of the package", () => {
  const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
    readonly version: string;
  };
  expect(packageVersion).toBe(manifest.version);
});
