/**
 * Runs the suites that are data against the sources beside it, and prints what failed as JSON. Without a test runner, which
 * would take longer to start than they take.
 */
import * as fc from "fast-check";
import { behaviourConformance, stateConformance, type ConformanceCase } from "../../src/conformance/index.ts";
import { createInProcessNotifyAdapter } from "../../src/in-process/notify-adapter.ts";
import { createInProcessStateAdapter } from "../../src/in-process/state-adapter.ts";
import { checkModel } from "../model/check-model.ts";
import { scenarios } from "../simulation/scenario.ts";
import { simulate } from "../simulation/simulate.ts";

const seeds = 1_000;
const caseLimitMs = 10_000;
/** After so many the point is made. */
const enough = 3;

const createAdapter = async () => createInProcessStateAdapter();
const createState = async () => ({ adapter: createInProcessStateAdapter(), close: async () => {} });
const createNotify = async () => ({ adapter: createInProcessNotifyAdapter(), close: async () => {} });
const without = { userTable: "it keeps no tables", unmigrated: "there is nothing to migrate" };

async function failingCases(cases: readonly ConformanceCase[]): Promise<string[]> {
  const failed: string[] = [];
  for (const { name, skipped, run } of cases) {
    if (skipped !== undefined || failed.length >= enough) continue;
    const { promise, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(new Error("it takes too long")), caseLimitMs);
    await Promise.race([run(), promise]).catch(() => failed.push(name));
    clearTimeout(timer);
  }
  return failed;
}

async function failingSeed(): Promise<string[]> {
  for (let seed = 1; seed <= seeds; seed += 1) {
    const [scenario] = fc.sample(scenarios, { seed, numRuns: 1 });
    if (scenario === undefined) continue;
    const { violations } = await simulate(scenario);
    if (violations.length > 0) return [`seed ${seed}: ${violations[0]}`];
  }
  return [];
}

async function failingModel(): Promise<string[]> {
  try {
    await checkModel({ createAdapter, runs: 300 });
    return [];
  } catch {
    return ["differs from the reference"];
  }
}

// What a mutant leaves behind unhandled is a failure too, but not the end.
const stray: string[] = [];
process.on("unhandledRejection", (error) => void stray.push(`unhandled: ${String(error)}`));
process.on("uncaughtException", (error) => void stray.push(`uncaught: ${String(error)}`));

const suites = {
  "state cases": () => failingCases(stateConformance({ createAdapter: createState, without })),
  "behaviour cases": () => failingCases(behaviourConformance({ createState, createNotify, without })),
  model: failingModel,
  simulation: failingSeed,
};
const asksAll = process.argv.includes("--every");
for (const [suite, run] of Object.entries(suites)) {
  const failed = await run();
  failed.push(...stray.splice(0, 1));
  process.stdout.write(`${JSON.stringify({ suite, failed })}\n`);
  if (failed.length > 0 && !asksAll) break;
}
process.exit(0);
