import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The versions of a text. Every commit writes the next one. */
export interface Place {
  /** The newest version; 0 and an empty text before the first one. */
  read(): { readonly version: number; readonly text: string };
  /** Writes a version. False, and nothing is written, if another process has written it already. */
  write(version: number, text: string): boolean;
}

export function createMemory(): Place {
  let newest = { version: 0, text: "" };
  return {
    read: () => newest,
    write(version, text) {
      if (version !== newest.version + 1) return false;
      newest = { version, text };
      return true;
    },
  };
}

/**
 * A folder that processes of one machine share, with a file for each version. `link` creates a name or fails, so of two processes
 * that write the same version one succeeds, and a process that is killed leaves a whole version or none.
 */
export function createFolder(path: string): Place {
  mkdirSync(path, { recursive: true });
  const fileOf = (version: number) => join(path, `${version}.json`);
  const put = (text: string) => {
    const file = join(path, `${globalThis.crypto.randomUUID()}.tmp`);
    writeFileSync(file, text, { flush: true });
    return file;
  };
  let newest = 0;

  return {
    read() {
      for (;;) {
        while (existsSync(fileOf(newest + 1))) newest += 1;
        const text = newest === 0 ? "" : readFileSync(fileOf(newest), "utf8");
        // An older version is empty.
        if (newest === 0 || text !== "") return { version: newest, text };
      }
    },
    write(version, text) {
      const file = put(text);
      try {
        linkSync(file, fileOf(version));
      } catch (error) {
        if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
        throw error;
      } finally {
        unlinkSync(file);
      }
      // The name of the version before must stay: a process that was asleep would write that version again.
      if (version > 1) renameSync(put(""), fileOf(version - 1));
      return true;
    },
  };
}
