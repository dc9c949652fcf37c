import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Manifest, PublicPackage } from "./manifest.ts";
import { runNode } from "./run.ts";

/** A package in the form in which it would be published. */
export interface Tarball extends PublicPackage {
  /** The manifest in the tarball, with `publishConfig` applied, and `workspace:` and `catalog:` replaced. */
  readonly published: Manifest;
  readonly path: string;
  readonly bytes: Buffer;
}

/** Packs a built package with pnpm, because `npm pack` does not apply `publishConfig.exports`. */
export function pack(root: string, { folder, manifest }: PublicPackage, target: string): Tarball {
  mkdirSync(target, { recursive: true });
  const path = join(target, `${manifest.name.replace("@", "").replace("/", "-")}-${manifest.version}.tgz`);
  const quietly = ["--silent", "--dir", folder, "pack", "--out", path];
  runNode([join(root, "scripts/bootstrap.mjs"), "pnpm", ...quietly], { cwd: root, silent: true });
  const published = JSON.parse(tar("-xzOf", path, "package/package.json")) as Manifest;
  return { folder, manifest, published, path, bytes: readFileSync(path) };
}

/** Returns the paths in a tarball, without npm's folder `package`. */
export function filesIn({ path }: Tarball): string[] {
  return tar("-tzf", path)
    .split("\n")
    .map((file) => file.replace(/^package\//, ""))
    .filter((file) => file !== "" && !file.endsWith("/"))
    .sort();
}

function tar(...args: readonly string[]): string {
  return execFileSync("tar", args, { encoding: "utf8" });
}
