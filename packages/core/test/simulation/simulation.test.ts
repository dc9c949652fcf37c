import { expect, it } from "vitest";
import { simulate } from "./simulate.ts";

/** Thousands in every run; `SIMULATION_SEEDS=100000` for a long one, `SIMULATION_FROM=7 SIMULATION_SEEDS=1` to see one again. */
const from = Number(process.env["SIMULATION_FROM"] ?? 1);
const seeds = Number(process.env["SIMULATION_SEEDS"] ?? 3_000);

it(
  "loses nothing and does nothing twice, whatever fails, dies, is late or is killed",
  { timeout: 3_600_000 },
  async () => {
    const faults = { delay: 0, failBefore: 0, replyLost: 0, die: 0 };
    const failed: object[] = [];
    for (let seed = from; seed < from + seeds && failed.length < 5; seed += 1) {
      const report = await simulate(seed);
      if (report.violations.length > 0) failed.push({ seed, violations: report.violations });
      for (const [fault, count] of report.faults) faults[fault as keyof typeof faults] += count;
    }
    expect(failed).toEqual([]);
    // A world without faults would prove nothing.
    for (const [fault, count] of Object.entries(faults)) expect(count, fault).toBeGreaterThan(seeds / 10);
  },
);

it("runs the same for the same seed", async () => {
  const [first, second] = [await simulate(4), await simulate(4)];
  expect(second).toEqual(first);
});
