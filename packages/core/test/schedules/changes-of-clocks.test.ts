import { previewSchedule, type PreviewOptions } from "chainwright/schedules";
import { describe, expect, it } from "vitest";

/** The ticks from one moment on, written as `MM-DD HH:MM` in UTC, with their notes. */
function ticks(options: PreviewOptions & { readonly after: Date; readonly count: number }): readonly string[] {
  return previewSchedule(options).map(({ at, note }) => {
    const text = at.toISOString().slice(5, 16).replace("T", " ");
    return note === undefined ? text : `${text}, ${note}`;
  });
}

const gap = "moved out of a gap";

/*
 * Written by hand, from the histories of the zones. `fixed` names an hour in the change, `hourly` goes on in real time.
 */
const table: readonly (readonly [
  where: string,
  options: PreviewOptions & { after: Date },
  expected: readonly string[],
])[] = [
  [
    "Vienna, forward: 02:00 becomes 03:00",
    { cron: "30 2 * * *", timeZone: "Europe/Vienna", after: new Date("2026-03-28T00:00Z") },
    ["03-28 01:30", `03-29 01:00, ${gap}`, "03-30 00:30"],
  ],
  [
    "Vienna, forward: several times of one gap are one tick",
    { cron: "*/15 2 * * *", timeZone: "Europe/Vienna", after: new Date("2026-03-28T01:45Z") },
    [`03-29 01:00, ${gap}`, "03-30 00:00", "03-30 00:15"],
  ],
  [
    "Vienna, forward: every half hour goes on in real time",
    { cron: "*/30 * * * *", timeZone: "Europe/Vienna", after: new Date("2026-03-29T00:00Z") },
    ["03-29 00:30", "03-29 01:00", "03-29 01:30"],
  ],
  [
    "Vienna, back: 03:00 becomes 02:00",
    { cron: "30 2 * * *", timeZone: "Europe/Vienna", after: new Date("2026-10-24T03:00Z") },
    ["10-25 00:30, first of two", "10-26 01:30", "10-27 01:30"],
  ],
  [
    "Vienna, back: every half hour runs in both",
    { cron: "*/30 * * * *", timeZone: "Europe/Vienna", after: new Date("2026-10-24T23:30Z") },
    ["10-25 00:00, first of two", "10-25 00:30, first of two", "10-25 01:00, second of two"],
  ],
  [
    "Lord Howe, forward by half an hour: 02:00 becomes 02:30",
    { cron: "15 2 * * *", timeZone: "Australia/Lord_Howe", after: new Date("2026-10-02T16:00Z") },
    [`10-03 15:30, ${gap}`, "10-04 15:15", "10-05 15:15"],
  ],
  [
    "Lord Howe, back by half an hour: 02:00 becomes 01:30",
    { cron: "45 1 * * *", timeZone: "Australia/Lord_Howe", after: new Date("2026-04-04T00:00Z") },
    ["04-04 14:45, first of two", "04-05 15:15", "04-06 15:15"],
  ],
  [
    "Cairo, forward at midnight: 00:00 becomes 01:00",
    { cron: "0 0 * * *", timeZone: "Africa/Cairo", after: new Date("2026-04-22T23:00Z") },
    [`04-23 22:00, ${gap}`, "04-24 21:00", "04-25 21:00"],
  ],
  [
    "Santiago, forward at midnight: 00:00 becomes 01:00",
    { cron: "30 0 * * *", timeZone: "America/Santiago", after: new Date("2026-09-05T05:00Z") },
    [`09-06 04:00, ${gap}`, "09-07 03:30", "09-08 03:30"],
  ],
  [
    "Santiago, back at midnight: 24:00 becomes 23:00, so the evening comes twice",
    { cron: "30 23 * * *", timeZone: "America/Santiago", after: new Date("2026-04-04T03:00Z") },
    ["04-05 02:30, first of two", "04-06 03:30", "04-07 03:30"],
  ],
  [
    "Apia, a day is missing: 2011-12-30 does not exist",
    { cron: "0 9 * * *", timeZone: "Pacific/Apia", after: new Date("2011-12-29T00:00Z") },
    ["12-29 19:00", `12-30 10:00, ${gap}`, "12-30 19:00"],
  ],
  [
    "Casablanca, back by an hour for Ramadan: 03:00 becomes 02:00",
    { cron: "30 2 * * *", timeZone: "Africa/Casablanca", after: new Date("2026-02-14T12:00Z") },
    ["02-15 01:30, first of two", "02-16 02:30", "02-17 02:30"],
  ],
  [
    "Casablanca, forward after Ramadan: 02:00 becomes 03:00",
    { cron: "30 2 * * *", timeZone: "Africa/Casablanca", after: new Date("2026-03-21T12:00Z") },
    [`03-22 02:00, ${gap}`, "03-23 01:30", "03-24 01:30"],
  ],
  [
    "Troll, forward by two hours: 01:00 becomes 03:00",
    { cron: "30 1,2 * * *", timeZone: "Antarctica/Troll", after: new Date("2026-03-28T12:00Z") },
    [`03-29 01:00, ${gap}`, "03-29 23:30", "03-30 00:30"],
  ],
  [
    "Troll, back by two hours: 03:00 becomes 01:00",
    { cron: "0 * * * *", timeZone: "Antarctica/Troll", after: new Date("2026-10-24T22:30Z") },
    ["10-24 23:00, first of two", "10-25 00:00, first of two", "10-25 01:00, second of two"],
  ],
];

describe("what a schedule does when clocks change", () => {
  it.each(table)("%s", (_where, options, expected) => {
    expect(ticks({ ...options, count: expected.length })).toEqual(expected);
  });
});

describe("B4: a pattern that names one hour ticks once for each local day", () => {
  const zones = ["Europe/Vienna", "America/Santiago", "Africa/Cairo", "Australia/Lord_Howe", "Antarctica/Troll"];
  it.each(zones)("in %s, for ten years, at times around changes of clocks", (timeZone) => {
    const [from, until] = [Date.UTC(2020, 0, 1), Date.UTC(2030, 0, 1)];
    for (const minute of [0, 15, 30, 60, 90, 105, 120, 135, 150, 180, 210, 1_380, 1_410]) {
      const cron = `${minute % 60} ${Math.floor(minute / 60)} * * *`;
      const runs = previewSchedule({ cron, timeZone, after: new Date(from - 1), count: 3_660 }).filter(
        ({ at }) => at.getTime() < until,
      );
      const moments = runs.map(({ at }) => at.getTime());
      // Each a day after the one before, give or take what clocks change.
      const steps = moments.slice(1).map((at, index) => (at - (moments[index] ?? 0)) / 3_600_000);
      expect(Math.min(...steps)).toBeGreaterThan(21);
      expect(Math.max(...steps)).toBeLessThan(27);
      expect(Math.abs(runs.length - 3_653)).toBeLessThanOrEqual(1);
    }
  });
});
