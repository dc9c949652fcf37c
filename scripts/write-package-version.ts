import { readFileSync, writeFileSync } from "node:fs";

const core = new URL("../packages/core/", import.meta.url);
const { version } = JSON.parse(readFileSync(new URL("package.json", core), "utf8")) as { readonly version: string };
const file = new URL("src/model/package-version.ts", core);
const text = readFileSync(file, "utf8");
writeFileSync(file, text.replace(/"[^"]*";\n$/u, `"${version}";\n`));
