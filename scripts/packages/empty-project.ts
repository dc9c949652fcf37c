import { existsSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Manifest } from "./manifest.ts";
import { runProgram } from "./run.ts";
import type { Tarball } from "./tarball.ts";

/**
 * Creates an empty project, and installs the tarballs with npm. npm has no network and an empty cache, so the peers of the
 * packages come from this workspace.
 */
export function installInEmptyProject(root: string, tarballs: readonly Tarball[], folder: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "name": "empty", "private": true }\n');
  const required = tarballs.flatMap((tarball) =>
    requiredOf(tarball.published)
      .filter((name) => tarballs.every(({ published }) => published.name !== name))
      .map((name) => realpathSync(join(tarball.folder, "node_modules", name))),
  );
  install([...tarballs.map(({ path }) => path), ...new Set(required)], folder);
  for (const tarball of tarballs) linkPeers(tarball, join(folder, "node_modules"));
  link(join(root, "node_modules/@types/node"), join(folder, "node_modules/@types/node"));
}

/** Installs what `npm install` of these names would: packages from their tarballs, peers and types from this workspace. */
export function installByName(names: readonly string[], tarballs: readonly Tarball[], folder: string): void {
  const ours = tarballs.filter(({ published }) => names.includes(published.name));
  install(
    ours.map(({ path }) => path),
    folder,
  );
  for (const name of names.filter((each) => ours.every(({ published }) => published.name !== each))) {
    const owner = ours.find((tarball) => existsSync(join(tarball.folder, "node_modules", name)));
    if (owner === undefined)
      throw new Error(
        `${name} must be a peer of one of ${ours.map((each) => each.published.name).join(", ")}; it is not`,
      );
    for (const each of [name, `@types/${name}`]) {
      link(join(owner.folder, "node_modules", each), join(folder, "node_modules", each));
    }
  }
}

function install(specs: readonly string[], folder: string): void {
  const quietly = ["--no-audit", "--no-fund", "--ignore-scripts", "--loglevel", "error"];
  const offline = ["--offline", "--cache", join(folder, ".npm")];
  runProgram("npm", ["install", ...quietly, ...offline, ...specs], { cwd: folder, silent: true });
}

/** The dependencies that npm would download by itself. */
function requiredOf({ dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} }: Manifest): string[] {
  const peers = Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional !== true);
  return [...Object.keys(dependencies), ...peers];
}

/** Links the clients that a package names as peers, and their types. */
function linkPeers({ folder, published }: Tarball, modules: string): void {
  const names = Object.keys({ ...published.dependencies, ...published.peerDependencies });
  for (const name of [...names, ...names.map((peer) => `@types/${peer}`)]) {
    link(join(folder, "node_modules", name), join(modules, name));
  }
}

/** Links a package into the modules of a project, if it exists in this workspace and not yet in the project. */
export function link(source: string, target: string): void {
  if (!existsSync(source) || existsSync(target)) return;
  mkdirSync(dirname(target), { recursive: true });
  symlinkSync(realpathSync(source), target);
}
