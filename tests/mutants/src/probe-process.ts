/**
 * Runs suites that are data against the sources beside it and prints what failed, one line of JSON for each suite. A test runner
 * would take longer to start than the suites take. Arguments: the module of the suites, and `--every` to continue after a suite
 * that has failed.
 */
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { ConformanceCase } from "@chainwright/conformance";

/** The exports of the module. */
interface Probe {
  readonly suites: Readonly<Record<string, Suite>>;
}

interface Suite {
  readonly cases: readonly ConformanceCase[];
  /** How long a case may take. */
  readonly limitMs: number;
}

/** More failures would prove no more. */
const enough = 3;

async function failingCases({ cases, limitMs }: Suite): Promise<string[]> {
  const failed: string[] = [];
  for (const { name, skipped, run } of cases) {
    if (skipped !== undefined || failed.length >= enough) continue;
    const { promise, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(new Error("the case takes too long")), limitMs);
    await Promise.race([run(), promise]).catch(() => failed.push(name));
    clearTimeout(timer);
  }
  return failed;
}

// An unhandled rejection is a failure too, but the suites continue.
const stray: string[] = [];
process.on("unhandledRejection", (error) => void stray.push(`unhandled: ${String(error)}`));
process.on("uncaughtException", (error) => void stray.push(`uncaught: ${String(error)}`));

const [module = "", ...flags] = process.argv.slice(2);
const { suites } = (await import(pathToFileURL(resolve(module)).href)) as Probe;
for (const [name, suite] of Object.entries(suites)) {
  const failed = await failingCases(suite);
  failed.push(...stray.splice(0, 1));
  process.stdout.write(`${JSON.stringify({ suite: name, failed })}\n`);
  if (failed.length > 0 && !flags.includes("--every")) break;
}
// A mutant may leave timers or connections open.
process.exit(0);
