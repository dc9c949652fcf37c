import { execFile } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const packageFolder = fileURLToPath(new URL("../../", import.meta.url));
const built = join(packageFolder, "dist/ui");
const sources = ["ui", "src/protocol", "package.json"].map((path) => join(packageFolder, path));

/** Returns the folder of the built web UI; builds it first if it is missing or older than its sources. */
export async function builtUi(): Promise<string> {
  const page = join(built, "index.html");
  const newest = Math.max(...sources.map(newestIn));
  if (existsSync(page) && statSync(page).mtimeMs >= newest) return built;
  const vite = join(dirname(createRequire(import.meta.url).resolve("vite/package.json")), "bin/vite.js");
  await promisify(execFile)(process.execPath, [vite, "build", "ui", "--logLevel", "warn"], {
    cwd: packageFolder,
    // A production build, as in a release.
    env: { ...process.env, NODE_ENV: "production" },
  });
  return built;
}

function newestIn(path: string): number {
  const { mtimeMs } = statSync(path);
  if (!statSync(path).isDirectory()) return mtimeMs;
  // A folder's own time changes when a file is deleted.
  return Math.max(mtimeMs, ...readdirSync(path).map((name) => newestIn(join(path, name))));
}
