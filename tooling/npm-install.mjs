import { spawn } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * Installs one package with npm into its own folder; if that fails, the folder is removed.
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

/** Returns npm's own entry file, to be run with this Node: the npm on the PATH may belong to another one. */
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
 * Runs a program whose output stays visible; a failure is an error that names the command.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {string} cwd
 * @returns {Promise<void>}
 */
export function runVisibly(command, args, cwd) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, stdio: ["ignore", "inherit", "inherit"] });
    child.on("error", reject);
    child.on("exit", (code, signal) => {
      const end = signal ?? `status ${code}`;
      if (code === 0) resolve();
      else reject(new Error(`${[command, ...args].join(" ")} ended with ${end}; its output is above.`));
    });
  });
}
