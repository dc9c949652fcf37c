import { previewSchedule } from "chainwright/schedules";
import { expect, it } from "vitest";
import { createErasedClient } from "../../src/client/erased-client.ts";
import { createInProcessStateAdapter } from "../../src/in-process/state-adapter.ts";
import { createVirtualClock } from "../../src/testing/virtual-clock.ts";
import { createTickPass } from "../../src/worker/tick-pass.ts";

const zones = [
  "Europe/Vienna",
  "Europe/London",
  "Europe/Dublin",
  "America/New_York",
  "America/St_Johns",
  "America/Santiago",
  "America/Havana",
  "America/Asuncion",
  "America/Nuuk",
  "Australia/Lord_Howe",
  "Australia/Sydney",
  "Pacific/Auckland",
  "Pacific/Chatham",
  "Africa/Cairo",
  "Africa/Casablanca",
  "Asia/Beirut",
  "Asia/Jerusalem",
  "Asia/Kathmandu",
  "Antarctica/Troll",
  "UTC",
];
/** Times of day in the gaps and the repeated hours of these zones, and one pattern in real time. */
const patterns = ["30 2 * * *", "0 0 * * *", "15 1,3 * * *", "59 23 * * MON-FRI", "0 */8 * * *"];
const begin = Date.UTC(2022, 0, 1);
const end = Date.UTC(2027, 0, 1);

it("B8: over five years of 20 time zones, workers write the ticks that the preview shows", async () => {
  let now = begin;
  const clock = { ...createVirtualClock(), now: () => now };
  const ticked = new Map(zones.map((zone) => [zone, [] as number[]]));
  const store = createInProcessStateAdapter({ clock });
  const { client, engine } = createErasedClient({
    stateAdapter: store,
    jobTypes: { definitions: undefined },
    clock,
    observers: [
      (event) => {
        if (event.type !== "schedule-ticked") return;
        if (event.lateMs !== 0 || event.missed !== 0) throw new Error(`late: ${JSON.stringify(event)}`);
        ticked.get(event.scheduleId)?.push(event.at);
      },
    ],
  });
  const schedules = zones.map((timeZone, place) => {
    return { id: timeZone, typeName: "idle", input: null, timeZone, cron: patterns[place % patterns.length] ?? "" };
  });
  await client.applySchedules({ owner: "o", schedules });
  const pass = createTickPass(engine);
  for (;;) {
    const { nextTickInMs = Infinity } = await store.dueSchedules(0, {});
    if (now + nextTickInMs > end) break;
    now += nextTickInMs;
    await pass();
  }
  for (const { id, cron, timeZone } of schedules) {
    const shown = previewSchedule({ cron, timeZone, after: new Date(begin), count: 10_000 });
    const expected = shown.map(({ at }) => at.getTime()).filter((at) => at <= end);
    expect([id, ticked.get(id)]).toEqual([id, expected]);
  }
});
