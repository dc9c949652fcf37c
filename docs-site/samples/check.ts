// Compiles every sample of the pages, the READMEs and the docstrings in one program, and reports errors by page and line.
// Then checks the other fences, the links of READMEs, and that no docstring is missing.
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { collectPages, collectSamples, type CollectedSample } from "./collect.ts";
import { missingDocstrings } from "./exported.ts";
import { complaintsAbout } from "./fences.ts";
import { deadLinksOf } from "./links.ts";
import { root } from "./root.ts";

const folder = join(root, "docs-site/generated/samples");
const compilerOptions = {
  noUnusedLocals: false,
  noUnusedParameters: false,
  noImplicitReturns: false,
  verbatimModuleSyntax: false,
};

const samples = collectSamples();
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
for (const { module } of samples) writeFileSync(join(folder, module.name), module.text);
writeFileSync(
  join(folder, "tsconfig.json"),
  JSON.stringify({ extends: "../../../tsconfig.base.json", compilerOptions, include: ["*.ts"] }),
);

const compiler = join(root, "node_modules/typescript7/bin/tsc");
const { stdout, status } = spawnSync(process.execPath, [compiler, "-p", folder, "--pretty", "false"], {
  cwd: folder,
  encoding: "utf8",
});
const byName = new Map(samples.map((each) => [each.module.name, each]));
console.log(stdout.replaceAll(/^([^\s(]+\.ts)\((\d+),(\d+)\)/gm, locate));
if (status === 0) console.log(`${samples.length} samples compile`);
else
  console.log(
    "A fence may use the names of a context, as in `ts with=orders`; docstrings use the context `docstrings`. Contexts are in docs-site/samples/contexts.",
  );
const pages = collectPages();
const complaints = [
  ...pages.flatMap(({ file, markdown }) => complaintsAbout(file, markdown)),
  // The build of the site checks the links between its pages.
  ...pages
    .filter(({ file }) => !file.startsWith("docs-site/"))
    .flatMap(({ file, markdown }) => deadLinksOf(file, markdown)),
  ...missingDocstrings(),
];
for (const line of complaints) console.log(line);
if (status !== 0 || complaints.length > 0) process.exitCode = 1;

function locate(text: string, name: string, line: string, column: string): string {
  const found: CollectedSample | undefined = byName.get(name);
  if (found === undefined) return text;
  return `${found.sample.file}:${found.sample.line + Number(line) - 1 - found.module.linesAbove}:${column}`;
}
