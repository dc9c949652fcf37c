import * as fc from "fast-check";
import { expect, it } from "vitest";
import { scenarios, type Scenario } from "./scenario.ts";
import { simulate } from "./simulate.ts";

/** `npm run test:simulation` runs thousands, and `npm run test:simulation -- --from 7 --seeds 1` repeats one. */
const from = Number(process.env["SIMULATION_FROM"] ?? 1);
const shrinkMs = Number(process.env["SIMULATION_SHRINK_MS"] ?? 30_000);
const seeds = Number(process.env["SIMULATION_SEEDS"] ?? 500);

it(
  "loses nothing and does nothing twice although calls fail or are late and processes die or are killed",
  { timeout: 60_000 + 1_000 * seeds },
  async () => {
    const faults = new Map<string, number>();
    const property = fc.asyncProperty(scenarios, async (scenario) => {
      const report = await simulate(scenario);
      for (const [fault, count] of report.faults) faults.set(fault, (faults.get(fault) ?? 0) + count);
      expect(report.violations).toEqual([]);
    });
    for (let seed = from; seed < from + seeds; seed += 1) {
      const { failed, counterexample } = await fc.check(property, {
        seed,
        numRuns: 1,
        plugins: [fc.interruptAfterTimeLimit(shrinkMs)],
      });
      const [shrunk] = (counterexample ?? []) as readonly Scenario[];
      if (failed) throw await storyOf(seed, shrunk);
    }
    // A world without faults would prove nothing.
    for (const fault of ["delay", "failBefore", "replyLost", "die", "choke", "busy"])
      expect(faults.get(fault) ?? 0, fault).toBeGreaterThan(seeds / 100);
  },
);

it("runs the same for the same seed", async () => {
  const [scenario] = fc.sample(scenarios, { seed: 4, numRuns: 1 });
  if (scenario === undefined) throw new Error("no scenario");
  const [first, second] = [await simulate(scenario), await simulate(scenario)];
  expect(second).toEqual(first);
});

/** The seed, the smallest scenario that still fails, and what happened in it. */
async function storyOf(seed: number, scenario: Scenario | undefined): Promise<Error> {
  if (scenario === undefined) return new Error(`seed ${seed} failed, and no counterexample was found`);
  const { violations, history } = await simulate(scenario, { keepsHistory: true });
  return new Error(
    [
      `seed ${seed}, shrunk (npm run test:simulation -- --from ${seed} --seeds 1 repeats it):`,
      ...violations.map((violation) => `  ${violation}`),
      JSON.stringify(scenario),
      ...history.slice(0, 400),
    ].join("\n"),
  );
}
