import { existsSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Manifest } from "./manifest.ts";
import { runProgram } from "./run.ts";
import type { Tarball } from "./tarball.ts";

/**
 * An empty project into which npm has installed the tarballs. npm is kept from the network, and its cache is an empty one:
 * what an application has beside the packages, their peers, comes from this workspace.
 */
export function installInEmptyProject(root: string, tarballs: readonly Tarball[], folder: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "name": "empty", "private": true }\n');
  const required = tarballs.flatMap((tarball) =>
    requiredOf(tarball.published)
      .filter((name) => tarballs.every(({ published }) => published.name !== name))
      .map((name) => realpathSync(join(tarball.folder, "node_modules", name))),
  );
  const quietly = ["--no-audit", "--no-fund", "--ignore-scripts", "--loglevel", "error"];
  const offline = ["--offline", "--cache", join(folder, ".npm")];
  const specs = [...tarballs.map(({ path }) => path), ...new Set(required)];
  runProgram("npm", ["install", ...quietly, ...offline, ...specs], { cwd: folder, silent: true });
  for (const tarball of tarballs) linkPeers(tarball, join(folder, "node_modules"));
  link(join(root, "node_modules/@types/node"), join(folder, "node_modules/@types/node"));
}

/** Which npm would fetch by itself. */
function requiredOf({ dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} }: Manifest): string[] {
  const peers = Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional !== true);
  return [...Object.keys(dependencies), ...peers];
}

/** The clients that the packages name as peers, and their types. */
function linkPeers({ folder, published }: Tarball, modules: string): void {
  const names = Object.keys({ ...published.dependencies, ...published.peerDependencies });
  for (const name of [...names, ...names.map((peer) => `@types/${peer}`)]) {
    link(join(folder, "node_modules", name), join(modules, name));
  }
}

function link(source: string, target: string): void {
  if (!existsSync(source) || existsSync(target)) return;
  mkdirSync(dirname(target), { recursive: true });
  symlinkSync(realpathSync(source), target);
}
