import { Cron } from "croner";
import { Temporal } from "temporal-polyfill";
import { expect, it } from "vitest";
import { createZone, dayMs } from "../../src/schedules/wall-time.ts";
import { createRecurrences } from "../../src/schedules/recurrence.ts";
import { patterns } from "./patterns.ts";

/*
 * The suite compares some instants for each zone. All zones, all patterns and each of ten years take some minutes:
 * `SCHEDULE_ROUNDS=400 node node_modules/vitest/vitest.mjs run packages/core/test/schedules`.
 */
const rounds = Number(process.env["SCHEDULE_ROUNDS"] ?? 4);
const zones = Intl.supportedValuesOf("timeZone");
const [begin, end] = [Date.UTC(2020, 0, 1), Date.UTC(2030, 0, 1)];
const utc = { timezone: "UTC", paused: true } as const;

/** The same numbers in every run. */
function createNumbers(): () => number {
  let state = 12_345;
  return () => (state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0) / 2 ** 32;
}

it(
  `outside of changes of clocks, ticks equal those of two other implementations, in ${zones.length} zones`,
  () => {
    const random = createNumbers();
    const recurrences = createRecurrences();
    let compared = 0;
    for (const [place, timeZone] of zones.entries()) {
      const zone = createZone(timeZone);
      const wallOf = (instant: number): number => instant + zone.offsetAt(instant);
      for (let round = 0; round < rounds; round += 1) {
        const cron = patterns[(place + round * 7) % patterns.length] ?? "* * * * *";
        const year = begin + ((end - begin) / 10) * (Math.floor(round / patterns.length) % 10);
        const span = rounds > patterns.length ? (end - begin) / 10 : end - begin;
        const after = Math.floor((rounds > patterns.length ? year : begin) + random() * span);
        const own = recurrences.of({ cron, timeZone }).next(after)?.at;
        const floating = new Cron(cron, utc).nextRun(new Date(wallOf(after)))?.getTime();
        if (own === undefined || floating === undefined) throw new Error(`no tick of ${cron}`);
        const days = [after, own, floating].map((instant) => Math.floor(instant / dayMs) * dayMs);
        if (days.some((day) => zone.steadyOffset(day) === undefined)) continue;
        const plain = Temporal.Instant.fromEpochMilliseconds(floating).toZonedDateTimeISO("UTC").toPlainDateTime();
        const byTemporal = plain.toZonedDateTime(timeZone).epochMilliseconds;
        const byCroner = new Cron(cron, { timezone: timeZone, paused: true }).nextRun(new Date(after))?.getTime();
        const what = `${cron} in ${timeZone} after ${new Date(after).toISOString()}`;
        expect([what, own]).toEqual([what, byTemporal]);
        expect([what, own]).toEqual([what, byCroner]);
        compared += 1;
      }
    }
    expect(compared).toBeGreaterThan(zones.length * rounds * 0.9);
  },
  rounds > 40 ? 3_600_000 : 30_000,
);

it("the offset of each zone equals that of Temporal, also around changes of clocks", () => {
  const random = createNumbers();
  for (const timeZone of zones) {
    const zone = createZone(timeZone);
    for (let round = 0; round < 5 * rounds; round += 1) {
      const instant = Math.floor(begin + random() * (end - begin));
      const zoned = Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(timeZone);
      expect([timeZone, instant, zone.offsetAt(instant)]).toEqual([
        timeZone,
        instant,
        zoned.offsetNanoseconds / 1_000_000,
      ]);
    }
  }
}, 60_000);
