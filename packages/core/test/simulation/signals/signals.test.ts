import { expect, it } from "vitest";
import { simulateSignals } from "./signal-world.ts";

/** `SIMULATION_SIGNAL_SEEDS=5000 npm test -- simulation/signals` runs more worlds; with `SIMULATION_FROM=7` and one seed it repeats one. */
const from = Number(process.env["SIMULATION_FROM"] ?? 1);
const seeds = Number(process.env["SIMULATION_SIGNAL_SEEDS"] ?? 200);

it(
  "keeps E1 to E9 although processes die, commits are slow, hints are lost, and chains are cancelled and retried",
  { timeout: 60_000 + 1_000 * seeds },
  async () => {
    const faults = new Map<string, number>();
    const delivered = new Map<string, number>();
    for (let seed = from; seed < from + seeds; seed += 1) {
      const report = await simulateSignals(seed);
      for (const [fault, count] of report.faults) faults.set(fault, (faults.get(fault) ?? 0) + count);
      for (const [what, count] of report.delivered) delivered.set(what, (delivered.get(what) ?? 0) + count);
      expect(report.violations, `seed ${seed}`).toEqual([]);
    }
    // Worlds without faults, or in which a signal is never delivered in one of these ways, would prove nothing.
    for (const what of ["taken", "buffered", "deduplicated", "timed out"])
      expect(delivered.get(what) ?? 0, what).toBeGreaterThan(seeds / 2);
    for (const fault of ["delay", "failBefore", "replyLost", "die", "busy"])
      expect(faults.get(fault) ?? 0, fault).toBeGreaterThan(seeds / 100);
  },
);

it("runs the same for the same seed", async () => {
  expect(await simulateSignals(4)).toEqual(await simulateSignals(4));
});
