import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A disk that a test can fill up. */
export interface SmallDisk {
  readonly folder: string;
  /** Writes until no byte is free. */
  fill(): void;
  /** Frees the space that `fill` took. */
  free(): void;
  close(): void;
}

/** Opens a small disk in memory; returns `undefined` without Linux or the right to mount. */
export function openSmallDisk(megabytes: number): SmallDisk | undefined {
  const folder = mkdtempSync(join(tmpdir(), "chainwright-disk-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m,mode=755`, "tmpfs", folder], { stdio: "ignore" });
  } catch {
    remove();
    return undefined;
  }
  const filler = join(folder, "filler");
  return {
    folder,
    fill: () => fill(filler),
    free: () => rmSync(filler, { force: true }),
    close() {
      // A process that has a file open there can still use it.
      execFileSync("umount", ["--lazy", folder], { stdio: "ignore" });
      remove();
    },
  };
}

function fill(path: string): void {
  const file = openSync(path, "a");
  try {
    for (const bytes of [1 << 20, 1 << 12, 1]) writeUntilFull(file, Buffer.alloc(bytes));
  } finally {
    closeSync(file);
  }
}

function writeUntilFull(file: number, chunk: Buffer): void {
  for (;;) {
    try {
      if (writeSync(file, chunk) < chunk.length) return;
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOSPC") return;
      throw error;
    }
  }
}
