import { expect, it } from "vitest";
import { simulateBatches } from "./batch-world.ts";

/** `SIMULATION_BATCH_SEEDS=5000 npm test -- simulation/batches` runs more worlds; with `SIMULATION_FROM=7` and one seed it repeats one. */
const from = Number(process.env["SIMULATION_FROM"] ?? 1);
const seeds = Number(process.env["SIMULATION_BATCH_SEEDS"] ?? 100);

it(
  "keeps G1 to G5 although jobs are poison, processes die, replies are lost, workers stop, and chains are cancelled",
  { timeout: 60_000 + 1_000 * seeds },
  async () => {
    const totals = new Map<string, number>();
    for (let seed = from; seed < from + seeds; seed += 1) {
      const { violations, faults, counts } = await simulateBatches(seed);
      for (const [what, count] of [...faults, ...counts]) totals.set(what, (totals.get(what) ?? 0) + count);
      expect(violations, `seed ${seed}`).toEqual([]);
    }
    // Worlds in which no calls are shared, or broken by poison, would prove nothing.
    for (const what of ["completed", "failed", "cancelled", "shared", "broken"])
      expect(totals.get(what) ?? 0, what).toBeGreaterThan(seeds / 2);
    for (const what of ["delay", "failBefore", "replyLost", "die", "busy", "completed without a lost job"])
      expect(totals.get(what) ?? 0, what).toBeGreaterThan(seeds / 100);
  },
);

it("runs the same for the same seed", async () => {
  expect(await simulateBatches(4)).toEqual(await simulateBatches(4));
});
