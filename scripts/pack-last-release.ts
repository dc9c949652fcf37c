// Packs the packages of a commit for the rolling test: npm run pack:last-release -- COMMIT
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { publicPackages } from "./packages/manifest.ts";
import { runNode } from "./packages/run.ts";
import { pack } from "./packages/tarball.ts";

/** What processes of the test import. */
const names = new Set(["chainwright", "@chainwright/conformance", "@chainwright/postgres", "@chainwright/sqlite"]);

const root = fileURLToPath(new URL("../", import.meta.url));
const target = join(root, "tests/faults/last-release");
const work = mkdtempSync(join(tmpdir(), "chainwright-last-release-"));
const checkout = join(work, "checkout");

function git(...args: readonly string[]): string {
  return execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
}

/** Leaves out the declarations and source maps, which no process reads: they are three quarters of a tarball. */
function packPrograms(tarball: string): void {
  const content = join(work, "content");
  mkdirSync(content);
  execFileSync("tar", ["-xzf", tarball, "-C", content]);
  const files = readdirSync(content, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.js$|\/(?:package\.json|LICENSE)$/.test(file))
    .sort();
  const fixed = ["--owner=0", "--group=0", "--numeric-owner", "--mtime=2026-01-01", "--format=ustar"];
  const packed = execFileSync("tar", ["-cf", "-", ...fixed, "-C", content, ...files], { maxBuffer: 1e8 });
  writeFileSync(tarball, execFileSync("gzip", ["-9n"], { input: packed, maxBuffer: 1e8 }));
  rmSync(content, { recursive: true });
}

const [name = ""] = process.argv.slice(2);
const commit = git("rev-parse", "--verify", `${name}^{commit}`);
git("worktree", "add", "--detach", checkout, commit);
try {
  runNode([join(checkout, "scripts/bootstrap.mjs"), "setup"], { cwd: checkout, silent: true });
  for (const file of readdirSync(target).filter((each) => each.endsWith(".tgz"))) rmSync(join(target, file));
  for (const each of publicPackages(checkout).filter(({ manifest }) => names.has(manifest.name))) {
    const build = ["--silent", "--dir", each.folder, "run", "build"];
    runNode([join(checkout, "scripts/bootstrap.mjs"), "pnpm", ...build], { cwd: checkout, silent: true });
    const { path } = pack(checkout, each, join(work, "packed"));
    packPrograms(path);
    cpSync(path, join(target, path.slice(path.lastIndexOf("/") + 1)));
    console.log(`${each.manifest.name} ${each.manifest.version}: ${(statSync(path).size / 1_000).toFixed(0)} KB`);
  }
  writeFileSync(join(target, "commit.txt"), `${commit}\n`);
} finally {
  git("worktree", "remove", "--force", checkout);
  rmSync(work, { recursive: true, force: true });
}
