import { expect, it } from "vitest";
import { simulateNotes } from "./note-world.ts";

/** `SIMULATION_NOTE_SEEDS=5000 npm test -- simulation/notes` runs more worlds; with `SIMULATION_FROM=7` and one seed it repeats one. */
const from = Number(process.env["SIMULATION_FROM"] ?? 1);
const seeds = Number(process.env["SIMULATION_NOTE_SEEDS"] ?? 100);

it(
  "keeps F1 to F5 and F8 although processes die, replies are lost, workers stop, and chains are cancelled and retried",
  { timeout: 60_000 + 1_000 * seeds },
  async () => {
    const totals = new Map<string, number>();
    for (let seed = from; seed < from + seeds; seed += 1) {
      const { violations, faults, counts } = await simulateNotes(seed);
      for (const [what, count] of [...faults, ...counts]) totals.set(what, (totals.get(what) ?? 0) + count);
      expect(violations, `seed ${seed}`).toEqual([]);
    }
    // Worlds in which nothing is remembered, saved or ended at a checkpoint would prove nothing.
    for (const what of ["completed", "cancelled", "ran", "remembered", "saved"])
      expect(totals.get(what) ?? 0, what).toBeGreaterThan(seeds / 2);
    for (const what of [
      "delay",
      "failBefore",
      "replyLost",
      "die",
      "busy",
      "retried",
      "ended at a checkpoint",
      "tried again",
    ])
      expect(totals.get(what) ?? 0, what).toBeGreaterThan(seeds / 100);
  },
);

it("runs the same for the same seed", async () => {
  expect(await simulateNotes(4)).toEqual(await simulateNotes(4));
});
