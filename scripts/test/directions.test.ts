import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const depcruise = join(root, "node_modules/dependency-cruiser/bin/dependency-cruiser.mjs");
const config = join(root, "dependency-cruiser.config.mjs");

const parents = ["packages", "examples", "benchmarks", "tests", "scripts", "docs-site", "tooling"];

interface Violation {
  readonly from: string;
  readonly to: string;
  readonly rule: { readonly name: string };
}

async function violationsIn(folder: string): Promise<Violation[]> {
  const args = [
    depcruise,
    "--config",
    config,
    "--output-type",
    "json",
    ...parents.filter((parent) => existsSync(join(folder, parent))),
  ];
  const options = { cwd: folder, maxBuffer: 64 * 1024 * 1024 };
  const { stdout } = await promisify(execFile)(process.execPath, args, options);
  const result = JSON.parse(stdout) as { summary: { violations: Violation[] } };
  return result.summary.violations;
}

// Each row is one wrong import: the file, the imported module, and the rule that must report it.
const planted = [
  ["core/src/model/up-1.ts", "../ports/index.ts", "core-model-imports-only-what-is-below"],
  ["core/src/ports/up-1.ts", "../types/index.ts", "core-ports-imports-only-what-is-below"],
  ["core/src/types/up-1.ts", "../checks/index.ts", "core-types-imports-only-what-is-below"],
  ["core/src/checks/up-1.ts", "../timing/index.ts", "core-checks-imports-only-what-is-below"],
  ["core/src/rules/up-1.ts", "../in-process/index.ts", "core-rules-imports-only-what-is-below"],
  ["core/src/timing/up-1.ts", "../hints/index.ts", "core-timing-imports-only-what-is-below"],
  ["core/src/hints/up-1.ts", "../engine/index.ts", "core-hints-imports-only-what-is-below"],
  ["core/src/in-process/up-1.ts", "../engine/index.ts", "core-in-process-imports-only-what-is-below"],
  ["core/src/observers/up-1.ts", "../engine/index.ts", "core-observers-imports-only-what-is-below"],
  ["core/src/notify-channel/up-1.ts", "../engine/index.ts", "core-notify-channel-imports-only-what-is-below"],
  ["core/src/engine/up-1.ts", "../operations/index.ts", "core-engine-imports-only-what-is-below"],
  ["core/src/operations/up-1.ts", "../client/index.ts", "core-operations-imports-only-what-is-below"],
  ["core/src/operations/up-2.ts", "../worker/index.ts", "core-operations-imports-only-what-is-below"],
  ["core/src/client/up-1.ts", "../worker/index.ts", "core-client-imports-only-what-is-below"],
  ["core/src/client/up-2.ts", "../in-process/index.ts", "core-client-imports-only-what-is-below"],
  ["core/src/worker/up-1.ts", "../client/index.ts", "core-worker-imports-only-what-is-below"],
  ["core/src/worker/up-2.ts", "../testing/index.ts", "core-worker-imports-only-what-is-below"],
  ["core/src/deploy/up-1.ts", "../testing/index.ts", "core-deploy-imports-only-what-is-below"],
  ["core/src/testing/up-1.ts", "../notify-channel/index.ts", "core-testing-imports-only-what-is-below"],
  ["core/src/engine/cycle-a.ts", "./cycle-b.ts", "no-cycle"],
  ["core/src/engine/b.ts", "left-pad", "core-has-no-dependencies"],
  ["core/src/engine/c.ts", "@chainwright/sqlite", "core-knows-no-package"],
  ["core/src/engine/alone.ts", undefined, "no-orphan"],
  ["core/src/engine/d.ts", "./nowhere.ts", "unresolvable"],
  ["core/src/engine/e.ts", "../../test/some.test.ts", "sources-do-not-import-tests"],
  ["sqlite/src/a.ts", "@chainwright/postgres", "adapters-do-not-know-each-other"],
  ["sqlite/src/b.ts", "../../postgres/src/index.ts", "adapters-do-not-know-each-other"],
  ["sqlite/src/c.ts", "../../core/src/engine/index.ts", "packages-meet-at-their-doors"],
  ["sqlite/src/d.ts", "chainwright/src/engine/index.ts", "unresolvable"],
  ["conformance/src/b.ts", "@chainwright/sqlite", "adapters-do-not-know-each-other"],
  ["sqlite/src/f.ts", "@chainwright/backends", "packages-do-not-import-test-rigs"],
  ["../examples/one/src/a.ts", "../../../packages/core/src/index.ts", "packages-meet-at-their-doors"],
  ["../examples/one/src/c.ts", "../../../packages/core/src/index.ts", "programs-use-the-public-api"],
  ["../tests/backends/src/a.ts", "../../../scripts/install.mjs", "nothing-imports-scripts"],
  ["../docs-site/samples/a.ts", "../../scripts/install.mjs", "nothing-imports-scripts"],
  ["../scripts/packages/a.ts", "../../docs-site/samples/fences.ts", "scripts-and-docs-meet-in-tooling"],
  ["../tooling/a.ts", "../scripts/install.mjs", "tooling-imports-nothing-else"],
] as const;

// Imports that must stay allowed.
const allowed = [
  ["core/src/worker/c.ts", "../client/internal.ts"],
  ["core/src/deploy/a.ts", "../client/internal.ts"],
  ["core/src/testing/a.ts", "../client/index.ts"],
  ["core/src/engine/f.ts", "node:crypto"],
  ["sqlite/src/e.ts", "chainwright"],
  ["sqlite/test/a.ts", "@chainwright/conformance"],
  ["conformance/src/a.ts", "chainwright/testing"],
  ["sqlite/test/b.ts", "@chainwright/backends"],
  ["../examples/one/src/b.ts", "@chainwright/sqlite"],
  ["../tests/backends/src/b.ts", "../../../tooling/shared.mjs"],
  ["../scripts/packages/b.ts", "../../tooling/shared.mjs"],
] as const;

const importing = (target: string | undefined) =>
  target === undefined ? "export const alone = 1;\n" : `import * as it from "${target}";\nexport const used = it;\n`;

describe("dependency directions", () => {
  let folder: string;
  let found: Violation[];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "chainwright-directions-"));
    const write = (file: string, text: string) => {
      const path = join(folder, "packages", file);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    };
    const layers = [
      "model",
      "ports",
      "rules",
      "types",
      "checks",
      "timing",
      "hints",
      "in-process",
      "observers",
      "notify-channel",
      "engine",
      "operations",
      "client",
      "worker",
      "deploy",
      "testing",
    ];
    for (const layer of layers) write(`core/src/${layer}/index.ts`, "export const it = 1;\n");
    write("core/src/client/internal.ts", "export const it = 1;\n");
    write(
      "core/src/index.ts",
      layers.map((layer, i) => `export { it as it${i} } from "./${layer}/index.ts";`).join("\n"),
    );
    write("core/src/engine/cycle-b.ts", importing("./cycle-a.ts"));
    write("core/test/some.test.ts", "export const it = 1;\n");
    for (const file of ["tests/backends/src/index.ts", "docs-site/samples/fences.ts"]) {
      write(`../${file}`, "export const it = 1;\n");
    }
    for (const file of ["scripts/install.mjs", "tooling/shared.mjs"]) write(`../${file}`, "export const it = 1;\n");
    for (const name of ["sqlite", "postgres", "conformance"]) write(`${name}/src/index.ts`, "export const it = 1;\n");
    for (const [file, target] of [...planted, ...allowed]) write(file, importing(target));
    write("../tsconfig.json", JSON.stringify({ extends: join(root, "tsconfig.base.json") }));
    installWorkspace(folder, write);
    found = await violationsIn(folder);
  }, 60_000);

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(planted)("finds %s importing %s", (file, _target, rule) => {
    const from = join("packages", file);
    expect(found.filter((violation) => violation.from === from).map((violation) => violation.rule.name)).toContain(
      rule,
    );
  });

  it.each(allowed)("lets %s import %s", (file) => {
    const from = join("packages", file);
    expect(found.filter((violation) => violation.from === from)).toEqual([]);
  });

  it("finds none in this repository", { timeout: 60_000 }, async () => {
    const violations = await violationsIn(root);
    expect(violations.map(({ from, to, rule }) => `${from} -> ${to}: ${rule.name}`)).toEqual([]);
  });
});

/** The packages by their names, as pnpm links them. */
function installWorkspace(folder: string, write: (file: string, text: string) => void): void {
  const names = {
    core: "chainwright",
    conformance: "@chainwright/conformance",
    sqlite: "@chainwright/sqlite",
    postgres: "@chainwright/postgres",
    "../tests/backends": "@chainwright/backends",
  };
  mkdirSync(join(folder, "node_modules/@chainwright"), { recursive: true });
  for (const [directory, name] of Object.entries(names)) {
    const doors = { ".": "./src/index.ts", "./testing": "./src/testing/index.ts" };
    write(`${directory}/package.json`, JSON.stringify({ name, version: "1.0.0", type: "module", exports: doors }));
    symlinkSync(join(folder, "packages", directory), join(folder, "node_modules", name));
  }
  write(
    "../node_modules/left-pad/package.json",
    JSON.stringify({ name: "left-pad", version: "1.0.0", main: "index.js" }),
  );
  write("../node_modules/left-pad/index.js", "module.exports = {};\n");
}
