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
    processor: cores[0]?.model.trim() ?? "unknown",
    cores: cores.length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    system: `${type()} ${release()}`,
    node: process.version,
    commit: commitOf(),
    load: currentLoad(),
  };
}

/** The load average of the last minute. */
function currentLoad(): number {
  return loadavg()[0] ?? 0;
}

/** A host with more than half its cores busy measures its other work too. */
function isContended(load: number): boolean {
  return load > cpus().length / 2;
}

/** What a report begins with. */
export function headOf(host: Host): string {
  const { processor, cores, memoryGiB, system, node, commit, load } = host;
  const busy = isContended(load) ? " (contended: compare shares, ratios and CPU, not rates)" : "";
  return `${processor}, ${cores} cores, ${memoryGiB} GiB, ${system}, Node ${node}, ${commit}\nload before: ${load.toFixed(2)}${busy}`;
}

/** What it ends with, and the load to keep beside the figures. */
export function tailOf(): { readonly loadAfter: number; readonly text: string } {
  const loadAfter = currentLoad();
  return { loadAfter, text: `load after: ${loadAfter.toFixed(2)}` };
}

/** Waits for other work on the host to end, so long at most; what follows is reported as contended otherwise. */
export async function settleHost(limitSeconds: number, progress: (text: string) => void): Promise<void> {
  const until = performance.now() + limitSeconds * 1_000;
  while (isContended(currentLoad()) && performance.now() < until) {
    progress(`load ${currentLoad().toFixed(2)}: waiting for the host to settle`);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
  progress("");
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
