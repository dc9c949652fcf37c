import { execFileSync } from "node:child_process";
import { cpus, loadavg, release, totalmem, type } from "node:os";

/** Where figures come from: they mean little without it. */
export interface Host {
  readonly processor: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly system: string;
  readonly node: string;
  readonly commit: string;
  readonly load: number;
}

export function describeHost(): Host {
  const cores = cpus();
  return {
    processor: cores[0]?.model ?? "unknown",
    cores: cores.length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    system: `${type()} ${release()}`,
    node: process.version,
    commit: commitOf(),
    load: currentLoad(),
  };
}

/** The load average of the last minute. */
export function currentLoad(): number {
  return loadavg()[0] ?? 0;
}

/** A host with more than half its cores busy measures its other work too. */
export function isContended(load: number): boolean {
  return load > cpus().length / 2;
}

function commitOf(): string {
  try {
    return execFileSync("git", ["describe", "--always", "--dirty"], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  } catch {
    return "unknown";
  }
}
