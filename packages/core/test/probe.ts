/** The suites that are data, for the mutants to be run against: see tests/mutants. */
import * as fc from "fast-check";
import { behaviourConformance, stateConformance } from "@chainwright/conformance";
import { createInProcessNotifyAdapter } from "../src/in-process/notify-adapter.ts";
import { createInProcessStateAdapter } from "../src/in-process/state-adapter.ts";
import { openInProcess } from "./in-process/backend.ts";
import { checkModel } from "./model/check-model.ts";
import { scenarios } from "./simulation/scenario.ts";
import { simulate } from "./simulation/simulate.ts";

const seeds = 1_000;

const createAdapter = async () => createInProcessStateAdapter();
const createState = openInProcess;
const createNotify = async () => ({ adapter: createInProcessNotifyAdapter(), close: async () => {} });
const without = {
  userTable: "it keeps no tables",
  unmigrated: "there is nothing to migrate",
  rowLocks: "it runs one transaction at a time",
  awaited: "no other process shares it, so it notes nothing",
};

async function simulateSeeds(): Promise<void> {
  for (let seed = 1; seed <= seeds; seed += 1) {
    const [scenario] = fc.sample(scenarios, { seed, numRuns: 1 });
    if (scenario === undefined) continue;
    const { violations } = await simulate(scenario);
    if (violations.length > 0) throw new Error(`seed ${seed}: ${violations[0]}`);
  }
}

const caseMs = 10_000;
const one = (name: string, run: () => Promise<void>) => ({
  cases: [{ name, skipped: undefined, run }],
  limitMs: 120_000,
});

export const suites = {
  "state cases": { cases: stateConformance({ createAdapter: createState, without }), limitMs: caseMs },
  "behaviour cases": { cases: behaviourConformance({ createState, createNotify, without }), limitMs: caseMs },
  model: one("behaves as the reference", () => checkModel({ createAdapter, runs: 300 })),
  simulation: one(`${seeds} seeds keep every rule`, simulateSeeds),
};
