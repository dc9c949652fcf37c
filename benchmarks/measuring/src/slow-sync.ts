import { spawnSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const source = fileURLToPath(new URL("slow-sync.c", import.meta.url));

/**
 * A library that makes syncs slow, and the environment of a process in which it does. The process may change how slow by
 * `SLOW_SYNC_US`, the microseconds that each sync takes longer.
 */
export interface SlowSync {
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Compiles the library; throws an error that says what is missing where that is impossible. */
export function buildSlowSync(syncMs: number): SlowSync {
  if (process.platform !== "linux")
    throw new Error("slow syncs need Linux, because a library is preloaded into the process");
  const folder = mkdtempSync(join(tmpdir(), "chainwright-slow-sync-"));
  const library = join(folder, "slow-sync.so");
  const { error, status, stderr } = spawnSync("cc", ["-O2", "-shared", "-fPIC", "-o", library, source, "-ldl"], {
    encoding: "utf8",
  });
  if (error !== undefined) {
    throw new Error(`slow syncs need a C compiler, and "cc" cannot be run (${error.message}): install gcc or clang`);
  }
  if (status !== 0) throw new Error(`${source} does not compile: ${stderr}`);
  return { folder, environment: { LD_PRELOAD: library, SLOW_SYNC_US: String(syncMs * 1_000) } };
}
