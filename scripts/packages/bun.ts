import { existsSync } from "node:fs";
import { join } from "node:path";
import { npmInstall } from "../../tooling/npm-install.mjs";
import { runProgram } from "./run.ts";

const version = "1.4.5";

/** Installs the pinned Bun into its own folder, and returns its program. It fails where Bun does not run: no check is skipped silently. */
export async function installBun(root: string): Promise<string> {
  const folder = join(root, ".tools", `bun-${version}`);
  const program = join(folder, "node_modules/.bin/bun");
  if (!existsSync(program)) await npmInstall(folder, `bun@${version}`);
  const installed = runProgram(program, ["--version"], { cwd: folder, silent: true }).trim();
  if (installed !== version) throw new Error(`Bun must have the version ${version}; got ${installed}`);
  return program;
}
