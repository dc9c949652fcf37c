import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * The pinned pnpm in a folder of its own, so that neither a global pnpm nor root is needed.
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
 * `pnpm install`, unless nothing it depends on has changed since the last time.
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

/**
 * Installs one package with npm into a folder of its own; a half-finished folder does not survive.
 *
 * @param {string} folder
 * @param {string} spec
 */
export async function npmInstall(folder, spec) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
  const npm = findNpm();
  if (npm === undefined) {
    throw new Error(
      `npm was not found beside Node.js ${process.versions.node} at ${process.execPath}. Install npm and try again.`,
    );
  }
  const args = ["install", "--prefix", folder, "--no-audit", "--no-fund", spec];
  try {
    await runVisibly(npm.command, [...npm.args, ...args], folder);
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

/** npm's own entry file, run with this very Node: the npm on the PATH may belong to another one. */
function findNpm() {
  const bin = dirname(process.execPath);
  const entries = [
    process.env["npm_execpath"],
    join(bin, "..", "lib", "node_modules", "npm", "bin", "npm-cli.js"),
    join(bin, "node_modules", "npm", "bin", "npm-cli.js"),
  ];
  const entry = entries.find((file) => file !== undefined && file.endsWith("npm-cli.js") && existsSync(file));
  if (entry !== undefined) return { command: process.execPath, args: [entry] };

  const names = process.platform === "win32" ? ["npm.cmd"] : ["npm"];
  const onPath = (process.env["PATH"] ?? "").split(process.platform === "win32" ? ";" : ":");
  const found = onPath.flatMap((folder) => names.map((name) => join(folder, name))).find((file) => existsSync(file));
  return found === undefined ? undefined : { command: found, args: [] };
}

/**
 * Output passes through as progress; failure is an error that names the command.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {string} cwd
 * @returns {Promise<void>}
 */
function runVisibly(command, args, cwd) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, stdio: ["ignore", "inherit", "inherit"] });
    child.on("error", reject);
    child.on("exit", (code, signal) => {
      const end = signal ?? `status ${code}`;
      if (code === 0) resolve();
      else reject(new Error(`${[command, ...args].join(" ")} ended with ${end}; what it said is above.`));
    });
  });
}
