import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { npmInstall, runVisibly } from "../../tooling/npm-install.mjs";

/**
 * Installs the pinned pnpm into its own folder, so that neither a global pnpm nor root is needed.
 *
 * @param {string} root
 * @returns {Promise<string>} pnpm's entry file, to be run with this Node
 */
export async function installPnpm(root) {
  const { packageManager } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const version = packageManager.replace(/^pnpm@/, "").replace(/\+.*/, "");
  const folder = join(root, ".tools", `pnpm-${version}`);
  const entry = join(folder, "node_modules", "pnpm", "bin", "pnpm.mjs");
  if (existsSync(entry)) return entry;

  console.log(`Installing pnpm ${version} into .tools/ (once)`);
  await npmInstall(folder, `pnpm@${version}`);
  return entry;
}

/**
 * Runs `pnpm install` if something that it depends on has changed since the last time.
 *
 * @param {string} root
 * @param {string} pnpm
 */
export async function installDependencies(root, pnpm) {
  const stamp = join(root, "node_modules", ".chainwright-installed");
  const state = stateOf(root);
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === state) return;

  console.log("Installing dependencies (once)");
  await runVisibly(
    process.execPath,
    [pnpm, "install", "--frozen-lockfile", "--config.confirm-modules-purge=false"],
    root,
  );
  writeFileSync(stamp, state);
}

/**
 * What an installation depends on: the lockfile, every manifest, and the Node that native modules are built for.
 *
 * @param {string} root
 */
function stateOf(root) {
  const hash = createHash("sha256").update(`${process.platform} ${process.arch} ${process.versions.modules}`);
  for (const file of ["pnpm-lock.yaml", "pnpm-workspace.yaml", ...manifests(root)]) {
    hash.update(`\n${file}\n`).update(readFileSync(join(root, file)));
  }
  return hash.digest("hex");
}

/** @param {string} root */
function manifests(root) {
  const folders = ["packages", "benchmarks", "examples", "tests"].flatMap((parent) =>
    existsSync(join(root, parent)) ? readdirSync(join(root, parent)).map((name) => join(parent, name)) : [],
  );
  return ["", "docs-site", ...folders]
    .map((folder) => join(folder, "package.json"))
    .filter((file) => existsSync(join(root, file)))
    .sort();
}
