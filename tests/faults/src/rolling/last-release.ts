import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const tarballs = join(import.meta.dirname, "../../last-release");
const programs = join(import.meta.dirname, "release");
/** The peers of its packages, which come from this workspace. */
const peers = ["pg", "better-sqlite3"];

/**
 * Installs the packages of the last release in a folder, without a network, and copies the programs of the test into it: an import
 * of `chainwright` finds those packages there. Returns the folder of the programs.
 */
export function installLastRelease(folder: string): string {
  const modules = join(folder, "node_modules");
  for (const tarball of readdirSync(tarballs).filter((file) => file.endsWith(".tgz"))) {
    const unpacked = join(folder, "unpacked", tarball);
    mkdirSync(unpacked, { recursive: true });
    execFileSync("tar", ["-xzf", join(tarballs, tarball), "-C", unpacked]);
    const { name } = createRequire(import.meta.url)(join(unpacked, "package/package.json")) as { name: string };
    cpSync(join(unpacked, "package"), join(modules, name), { recursive: true });
  }
  for (const peer of peers) link(packageFolder(peer), join(modules, peer));
  writeFileSync(join(folder, "package.json"), '{ "private": true, "type": "module" }\n');
  const copied = join(folder, "release");
  cpSync(programs, copied, { recursive: true });
  return copied;
}

function packageFolder(name: string): string {
  return join(import.meta.dirname, "../../node_modules", name);
}

function link(source: string, target: string): void {
  if (!existsSync(source)) throw new Error(`${source} must exist: run \`npm run setup\` first`);
  mkdirSync(dirname(target), { recursive: true });
  symlinkSync(realpathSync(source), target);
}
