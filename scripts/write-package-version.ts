import { readFileSync, writeFileSync } from "node:fs";

/** The packages that tell their version at run time, and where. All packages have the same version. */
const files = ["core/src/model/package-version.ts", "mcp/src/package-version.ts"];

const packages = new URL("../packages/", import.meta.url);
const { version } = JSON.parse(readFileSync(new URL("core/package.json", packages), "utf8")) as {
  readonly version: string;
};
for (const name of files) {
  const file = new URL(name, packages);
  writeFileSync(file, readFileSync(file, "utf8").replace(/"[^"]*";\n$/u, `"${version}";\n`));
}
