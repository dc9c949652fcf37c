import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Against } from "../attack/children.ts";
import { growthsOf } from "./census.ts";
import type { LeakOrders, LeakReport } from "./leak-process.ts";
import type { Urls } from "./pair.ts";
import type { PairName } from "./pairs.ts";
import type { TrialName } from "./trials.ts";

export interface LeakOptions {
  readonly pair: PairName;
  readonly urls: Urls;
  readonly times: Readonly<Record<TrialName, number>>;
  /** How long a process may take to end once everything is closed. */
  readonly exitMs: number;
  readonly against: Against;
  /** Called with each line of the progress report. */
  readonly log: (line: string) => void;
}

/** Runs the work of a pair of adapters in a separate process. Returns a sentence for each leak. */
export async function lookForLeaks({ pair, urls, times, exitMs, against, log }: LeakOptions): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "chainwright-leaks-"));
  const schema = `leaks_${process.pid}_${Date.now()}`;
  const orders: LeakOrders = { pair, times, place: { path: join(folder, "jobs.db"), schema, urls } };
  const wrong: string[] = [];
  const child = spawnChild(orders, against);
  let closed = false;
  let limit: NodeJS.Timeout | undefined;
  createInterface({ input: child.stdout }).on("line", (line) => {
    const report = JSON.parse(line) as LeakReport;
    if ("warning" in report) wrong.push(report.warning);
    else if ("trial" in report) {
      const grown = growthsOf(report);
      log(lineOf(report, grown));
      wrong.push(...grown.map((growth) => `${growth} after ${report.times} ${report.trial}`));
    } else {
      closed = true;
      limit = setTimeout(() => {
        wrong.push(`it has not ended by itself within ${exitMs} ms`);
        child.kill("SIGKILL");
      }, exitMs);
    }
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  clearTimeout(limit);
  rmSync(folder, { recursive: true, force: true });
  if (!closed) wrong.push(`it ended with ${String(code)} before everything was closed`);
  return wrong;
}

function spawnChild(orders: LeakOrders, against: Against) {
  const program = fileURLToPath(new URL("leak-process.ts", import.meta.url));
  const conditions = against === "sources" ? ["--conditions=@chainwright/source"] : [];
  const flags = [...conditions, "--expose-gc", "--experimental-strip-types", "--no-warnings"];
  return spawn(process.execPath, [...flags, program, JSON.stringify(orders)], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, NODE_OPTIONS: "" },
  });
}

type TrialReport = Extract<LeakReport, { readonly trial: string }>;

function lineOf({ trial, times, ms, before, after }: TrialReport, grown: readonly string[]): string {
  const heap = Math.round((after.heapBytes - before.heapBytes) / 1024);
  const count = (resources: Readonly<Record<string, number>>) =>
    Object.values(resources).reduce((sum, each) => sum + each, 0);
  const held = `${count(before.resources)} to ${count(after.resources)} handles`;
  const listeners = `${before.listeners} to ${after.listeners} listeners`;
  const said = grown.length === 0 ? "flat" : `GREW: ${grown.join(", ")}`;
  return `${times} ${trial}: ${said} (${heap} KiB of heap in the second half, ${held}, ${listeners}), ${Math.round(ms / 1000)} s`;
}
