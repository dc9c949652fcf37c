import { expect, it } from "vitest";
import { simulateSchedules } from "./schedule-world.ts";

/** `SIMULATION_SCHEDULE_SEEDS=5000 npm test -- simulation/schedules` runs more worlds; with `SIMULATION_FROM=7` and one seed it repeats one. */
const from = Number(process.env["SIMULATION_FROM"] ?? 1);
const seeds = Number(process.env["SIMULATION_SCHEDULE_SEEDS"] ?? 200);

it(
  "keeps B1, B2, B5 and B6 of schedules although processes die around ticks, clocks are an hour wrong, and schedules change",
  { timeout: 60_000 + 1_000 * seeds },
  async () => {
    const counts = new Map<string, number>();
    for (let seed = from; seed < from + seeds; seed += 1) {
      const report = await simulateSchedules(seed);
      for (const [what, count] of report.counts) counts.set(what, (counts.get(what) ?? 0) + count);
      expect(report.violations, `seed ${seed}`).toEqual([]);
    }
    // Worlds in which nothing happens would prove nothing.
    const happened = ["tick started", "tick overlap", "backfill started"];
    for (const what of ["die", "replyLost", "failBefore", ...happened, "missed one", "missed skip", "missed all"])
      expect(counts.get(what) ?? 0, what).toBeGreaterThan(seeds / 100);
  },
);

it("runs the same world of schedules for the same seed", async () => {
  expect(await simulateSchedules(4)).toEqual(await simulateSchedules(4));
});
