import { expect, it } from "vitest";
import { simulateLimits } from "./limit-world.ts";

/** `SIMULATION_LIMIT_SEEDS=5000 npm test -- simulation/limits` runs more worlds; with `SIMULATION_FROM=7` and one seed it repeats one. */
const from = Number(process.env["SIMULATION_FROM"] ?? 1);
const seeds = Number(process.env["SIMULATION_LIMIT_SEEDS"] ?? 200);

it(
  "keeps the invariants of limits although processes die, commits are slow, hints are lost, clocks jump, limits change and breakers open",
  { timeout: 60_000 + 1_000 * seeds },
  async () => {
    const faults = new Map<string, number>();
    const breakers = { opened: 0, closed: 0, probes: 0 };
    for (let seed = from; seed < from + seeds; seed += 1) {
      const report = await simulateLimits(seed);
      for (const [fault, count] of report.faults) faults.set(fault, (faults.get(fault) ?? 0) + count);
      for (const what of ["opened", "closed", "probes"] as const) breakers[what] += report.breakers[what];
      expect(report.violations, `seed ${seed}`).toEqual([]);
    }
    for (const [what, count] of Object.entries(breakers)) expect(count, what).toBeGreaterThan(seeds / 2);
    // Worlds without faults would prove nothing.
    for (const fault of ["delay", "failBefore", "replyLost", "die", "busy"])
      expect(faults.get(fault) ?? 0, fault).toBeGreaterThan(seeds / 100);
  },
);

it("runs the same for the same seed", async () => {
  expect(await simulateLimits(4)).toEqual(await simulateLimits(4));
});
