import { expect, it } from "vitest";
import { simulateSagas } from "./saga-world.ts";

/** `SIMULATION_SAGA_SEEDS=5000 npm test -- simulation/ends` runs more worlds; with `SIMULATION_FROM=7` and one seed it repeats one. */
const from = Number(process.env["SIMULATION_FROM"] ?? 1);
const seeds = Number(process.env["SIMULATION_SAGA_SEEDS"] ?? 200);

it(
  "undoes each effect once and in order, or completes its chain, although processes die, leases are lost, and chains are cancelled and retried",
  { timeout: 60_000 + 1_000 * seeds },
  async () => {
    const totals = new Map<string, number>();
    for (let seed = from; seed < from + seeds; seed += 1) {
      const { violations, faults, counts } = await simulateSagas(seed);
      for (const [what, count] of [...faults, ...counts]) totals.set(what, (totals.get(what) ?? 0) + count);
      expect(violations, `seed ${seed}`).toEqual([]);
    }
    // Worlds in which chains end in one way only would prove nothing.
    for (const what of ["completed", "failed", "cancelled", "undone", "started with a deadline"])
      expect(totals.get(what) ?? 0, what).toBeGreaterThan(seeds / 2);
    for (const what of ["delay", "failBefore", "replyLost", "die", "busy", "retried"])
      expect(totals.get(what) ?? 0, what).toBeGreaterThan(seeds / 100);
  },
);

it("runs the same for the same seed", async () => {
  expect(await simulateSagas(4)).toEqual(await simulateSagas(4));
});
