import { describe, expect, it } from "vitest";
import { complaintsAbout } from "../packages/published.ts";
import { complaintAboutSize } from "../packages/sizes.ts";

const door = { types: "./dist/index.d.ts", default: "./dist/index.js" };
const manifest = {
  name: "@chainwright/sample",
  version: "0.1.0",
  description: "A sample",
  license: "MIT",
  type: "module",
  files: ["CHANGELOG.md", "dist"],
  main: "./dist/index.js",
  types: "./dist/index.d.ts",
  exports: { ".": door },
  engines: { node: ">=22.12" },
  peerDependencies: { chainwright: "^0.1.0" },
};
const files = ["package.json", "LICENSE", "README.md", "CHANGELOG.md", "dist/index.js", "dist/index.d.ts"];

describe("a published package", () => {
  it("has no complaints if it follows all rules", () => {
    expect(complaintsAbout(manifest, files)).toEqual([]);
  });

  it.each([
    ["a door without types", { exports: { ".": "./dist/index.js" } }, "its door . has no types"],
    [
      "types that are not the first condition",
      { exports: { ".": { default: door.default, types: door.types } } },
      "its door . has the conditions default, types",
    ],
    [
      "a door to a file that is not packed",
      { exports: { ".": { ...door, default: "./dist/main.js" } } },
      "its door . names ./dist/main.js, which is not packed",
    ],
    [
      "a condition of the workspace",
      { exports: { ".": { "@chainwright/source": "./src/index.ts", ...door } } },
      "its manifest refers to the workspace",
    ],
    [
      "a range of the workspace",
      { peerDependencies: { chainwright: "workspace:^" } },
      "its manifest refers to the workspace",
    ],
    ["no peer chainwright", { peerDependencies: {} }, "has no peer chainwright"],
    ["a core with a dependency", { name: "chainwright" }, "depends on chainwright, and the core depends on nothing"],
    ["another main entry for node10", { types: "./dist/main.d.ts" }, "its types are not those of its door ."],
    [
      "a door that node10 does not find",
      { exports: { ".": door, "./pg": door } },
      'its door ./pg is not in typesVersions, as "moduleResolution": "node10" needs it',
    ],
    ["CommonJS", { type: "commonjs" }, "is of type commonjs, not module"],
  ])("must not have %s", (_, change, complaint) => {
    expect(complaintsAbout({ ...manifest, ...change }, files)).toContain(complaint);
  });

  it.each(["src/index.ts", "tsconfig.json", "dist-old/index.js"])("must not contain %s", (file) => {
    expect(complaintsAbout(manifest, [...files, file])).toEqual([`packs ${file}`]);
  });

  it.each(["LICENSE", "README.md", "CHANGELOG.md"])("has a %s", (file) => {
    const others = files.filter((each) => each !== file);
    expect(complaintsAbout(manifest, others)).toEqual([`has no ${file}`]);
  });

  it("must not be larger than its limit", () => {
    expect(complaintAboutSize("@chainwright/nats", 9_000)).toBeUndefined();
    expect(complaintAboutSize("@chainwright/nats", 9_001)).toContain("at most 9 KB");
  });
});
