import { accessSync, constants, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";

// The folders where package managers put servers; they are not on every user's PATH.
const usualFolders = ["/usr/local/bin", "/usr/bin", "/usr/local/sbin", "/usr/sbin", "/opt/homebrew/bin"];

/** Returns the path of a program: it looks on the PATH first, then in `folders`, then in the usual folders of servers. */
export function findProgram(name: string, folders: readonly string[] = []): string | undefined {
  const onPath = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  return [...onPath, ...folders, ...usualFolders].map((folder) => join(folder, name)).find(isExecutable);
}

/** Returns the folders `<parent>/<version><rest>` that exist, the newest version first. */
export function versionedFolders(parent: string, pattern: RegExp, rest = ""): string[] {
  return namesIn(parent)
    .flatMap((name) => {
      const version = pattern.exec(name)?.[1];
      return version === undefined ? [] : [{ name, version: Number(version) }];
    })
    .sort((a, b) => b.version - a.version)
    .map(({ name }) => join(parent, name, rest));
}

export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
