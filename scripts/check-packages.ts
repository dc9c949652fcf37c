// Packs every public package and checks the tarballs as a user would install them. Run it after a build. The arguments are paths
// of further Nodes to use, and a folder for the tarballs: npm run packages -- --out tarballs /opt/node-26/bin/node
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { installBun } from "./packages/bun.ts";
import { emitDeclarations } from "./packages/emission.ts";
import { installInEmptyProject } from "./packages/empty-project.ts";
import { followOrms } from "./packages/follow-orms.ts";
import { followStartPage } from "./packages/follow-start-page.ts";
import { lint } from "./packages/lint.ts";
import { publicPackages } from "./packages/manifest.ts";
import { runNode } from "./packages/run.ts";
import { compileSettings } from "./packages/settings.ts";
import { pack } from "./packages/tarball.ts";
import { useCommandLine } from "./packages/use-command-line.ts";
import { compile, runOn } from "./packages/uses.ts";

const { values, positionals: nodes } = parseArgs({ options: { out: { type: "string" } }, allowPositionals: true });
const root = fileURLToPath(new URL("../", import.meta.url));
const work = mkdtempSync(join(tmpdir(), "chainwright-packages-"));
const project = join(work, "project");

try {
  const packages = publicPackages(root);
  const tarballs = packages.map((each) => pack(root, each, join(work, "first")));
  for (const tarball of tarballs) lint(root, tarball);

  const published = tarballs.map((tarball) => tarball.published);
  installInEmptyProject(root, tarballs, project);
  compile(root, project, published);
  emitDeclarations(root, project);
  const bun = await installBun(root);
  compileSettings(root, project, bun);
  for (const node of [process.execPath, ...nodes]) runOn(node, project, published);
  await useCommandLine(project, join(work, "command-line"));
  await followStartPage(root, tarballs, join(work, "start"));
  await followStartPage(root, tarballs, join(work, "bun"), bun);
  await followOrms(root, tarballs, join(work, "orms"));

  const build = ["--silent", "--recursive", "--filter=./packages/*", "run", "build"];
  runNode([join(root, "scripts/bootstrap.mjs"), "pnpm", ...build], { cwd: root, silent: true });
  const again = packages.map((each) => pack(root, each, join(work, "second")));
  const differing = again.filter((tarball, index) => !tarball.bytes.equals(tarballs[index]?.bytes ?? Buffer.of()));
  if (differing.length > 0) {
    const names = differing.map(({ manifest }) => manifest.name).join(", ");
    throw new Error(
      `Two builds must have the same bytes; they differ in ${names}. If a build is older than the sources, build again.`,
    );
  }
  console.log(`${packages.length} packages: the same bytes from a second build`);
  if (values.out !== undefined) cpSync(join(work, "first"), values.out, { recursive: true });
} finally {
  rmSync(work, { recursive: true, force: true });
}
