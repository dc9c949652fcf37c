import { equal, holds, match, only, present, rejected, rejectsWith } from "../check.ts";
import { behaviours } from "./group.ts";
import { hour, hourly, leapToTick, scheduleOf, soon, ticksOf, watched } from "./scheduling.ts";

export const schedulesCases = behaviours("schedules", {
  "B2: each tick starts one chain, whose handler knows the schedule and the instant": async (fixture) => {
    const { client } = fixture;
    const ran = await watched(fixture);
    const created = await client.createSchedule(hourly);
    match("created", created, { id: "hourly", revision: 1, cron: "0 * * * *", timeZone: "UTC", paused: false });
    const first = await leapToTick(fixture, "hourly");
    await soon(fixture, "it ran", () => ran.length === 1);
    equal("the job", ran[0], { input: { region: "eu" }, tick: { scheduleId: "hourly", at: first, missed: 0 } });
    const after = await scheduleOf(fixture, "hourly");
    equal("the next tick", after.nextAt?.getTime(), first.getTime() + hour);
    equal("the last tick", after.lastAt, first);
    const tick = only("one tick", await ticksOf(fixture, "hourly"));
    match("on record", tick, { at: first, chainId: after.lastChainId, reason: undefined });
    const second = await leapToTick(fixture, "hourly");
    await soon(fixture, "it ran again", () => ran.length === 2);
    equal("its instant", ran[1]?.tick?.at, second);
  },

  "B1: workers of several processes start one chain for each tick": async (fixture) => {
    const others = [await fixture.process(), await fixture.process()];
    const ran = await Promise.all([fixture, ...others].map(watched));
    const schedules = Array.from({ length: 20 }, (_, index) => ({ ...hourly, id: `s-${index}`, input: index }));
    await fixture.client.applySchedules({ owner: "cases", schedules });
    for (const rounds of [1, 2, 3]) {
      await leapToTick(fixture, "s-0");
      await soon(fixture, "all ran", () => ran.flat().length >= rounds * schedules.length);
    }
    const ticks = ran
      .flat()
      .flatMap(({ tick }) => (tick === undefined ? [] : [`${tick.scheduleId} ${tick.at.getTime()}`]));
    equal("one each", ticks.length, new Set(ticks).size);
    holds("no hole", ticks.length >= 3 * schedules.length, ticks.length);
    for (const { id } of schedules) {
      const moments = (await ticksOf(fixture, id)).map(({ at }) => at.getTime());
      equal(
        `every hour of ${id}`,
        moments,
        moments.map((_, index) => (moments[0] ?? 0) - index * hour),
      );
    }
  },

  "B5: after an outage `one` starts one chain, which knows how many ticks were left out": async (fixture) => {
    const { client, clock } = fixture;
    await client.createSchedule(hourly);
    const { nextAt } = await scheduleOf(fixture, "hourly");
    const first = present("a next tick", nextAt).getTime();
    clock.leap(first - clock.now() + 9 * hour + hour / 2);
    const ran = await watched(fixture);
    await soon(fixture, "it ran", () => ran.length > 0);
    equal(
      "one",
      ran.map(({ tick }) => tick),
      [{ scheduleId: "hourly", at: new Date(first + 9 * hour), missed: 9 }],
    );
    match("counted", await scheduleOf(fixture, "hourly"), { missedCount: 9, nextAt: new Date(first + 10 * hour) });
    equal("on record", (await ticksOf(fixture, "hourly")).length, 10);
    await fixture.eventLog.until("the event", ({ type }) => type === "tick-missed");
  },

  "B5: after an outage `skip` starts nothing that is late": async (fixture) => {
    const { client, clock } = fixture;
    await client.createSchedule({ ...hourly, missed: "skip" });
    const { nextAt } = await scheduleOf(fixture, "hourly");
    const first = present("a next tick", nextAt).getTime();
    clock.leap(first - clock.now() + 4 * hour + hour / 2);
    const ran = await watched(fixture);
    await soon(fixture, "it advanced", async () => (await scheduleOf(fixture, "hourly")).missedCount === 5);
    equal("none ran", ran, []);
    equal(
      "recorded",
      (await ticksOf(fixture, "hourly")).map(({ reason }) => reason),
      Array(5).fill("missed"),
    );
    const at = await leapToTick(fixture, "hourly");
    await soon(fixture, "it ran", () => ran.length === 1);
    equal("in time", ran[0]?.tick, { scheduleId: "hourly", at, missed: 0 });
  },

  "B5: after an outage `all` starts the oldest first, at most maxMissed, and says what is left out": async (
    fixture,
  ) => {
    const { client, clock } = fixture;
    await client.createSchedule({ ...hourly, missed: "all", maxMissed: 3 });
    const { nextAt } = await scheduleOf(fixture, "hourly");
    const first = present("a next tick", nextAt).getTime();
    clock.leap(first - clock.now() + 6 * hour + hour / 2);
    const ran = await watched(fixture);
    await soon(fixture, "they ran", () => ran.length === 3);
    const ticks = ran.flatMap(({ tick }) => (tick === undefined ? [] : [tick]));
    equal(
      "the oldest",
      ticks.map(({ at }) => at.getTime()).toSorted((a, b) => a - b),
      [first, first + hour, first + 2 * hour],
    );
    equal(
      "the others are told",
      ticks.map(({ missed }) => missed).toSorted((a, b) => a - b),
      [0, 0, 4],
    );
    match("counted", await scheduleOf(fixture, "hourly"), { missedCount: 4, nextAt: new Date(first + 7 * hour) });
  },

  "B6: an edit counts from the next tick on, and one that rolls back changes nothing": async (fixture) => {
    const { client } = fixture;
    const ran = await watched(fixture);
    await client.createSchedule(hourly);
    const before = await scheduleOf(fixture, "hourly");
    await rejected(
      "rejects",
      client.transaction(async (tx) => {
        await client.updateSchedule({ tx, id: "hourly", cron: "30 * * * *", priority: 7 });
        match("inside", only("it", (await client.listSchedules({ tx })).items), { revision: 2, priority: 7 });
        throw new Error("undo");
      }),
    );
    equal("as before", await scheduleOf(fixture, "hourly"), before);
    const edited = await client.updateSchedule({ id: "hourly", typeName: "work", input: "new", ifRevision: 1 });
    match("edited", edited, { revision: 2, input: "new", nextAt: before.nextAt });
    await rejectsWith("stale", client.updateSchedule({ id: "hourly", priority: 1, ifRevision: 1 }), "schedule-changed");
    await leapToTick(fixture, "hourly");
    await soon(fixture, "it ran", () => ran.length === 1);
    equal("the new input", ran[0]?.input, "new");
    const reset = await client.resetSchedule({ id: "hourly" });
    match("reset", reset, { revision: 3, input: { region: "eu" }, edited: [] });
  },

  "B6: a pause holds ticks back, and a resume deals with those of the meantime": async (fixture) => {
    const { client, clock } = fixture;
    const ran = await watched(fixture);
    await client.createSchedule(hourly);
    await client.createSchedule({ ...hourly, id: "other" });
    const reason = "the mail provider is down";
    for (const id of ["hourly", "other"]) {
      match("paused", await client.pauseSchedule({ id, reason }), { paused: true, edited: ["paused"] });
      await fixture.eventLog.until(
        "the event",
        (event) => event.type === "schedules-changed" && event.reason === reason,
      );
      await client.updateSchedule({ id, priority: 1 });
      match("still paused", await scheduleOf(fixture, id), { pausedReason: reason });
    }
    const next = present("a next tick", (await scheduleOf(fixture, "other")).nextAt).getTime();
    clock.leap(next - clock.now() + 4 * hour + hour / 2);
    await clock.yield();
    equal("none ran", ran, []);
    const resumed = await client.resumeSchedule({ id: "hourly", missed: "skip" });
    match("resumed", resumed, { paused: false, pausedReason: undefined, edited: ["priority"], missedCount: 5 });
    holds("in the future", (resumed.nextAt?.getTime() ?? 0) > clock.now(), resumed.nextAt);
    await client.resumeSchedule({ id: "other" });
    await soon(fixture, "one ran", () => ran.length === 1);
    match("by its policy", ran[0]?.tick, { scheduleId: "other", missed: 4 });
  },

  "with overlap: skip a tick starts nothing while the chain before runs": async (fixture) => {
    const { client } = fixture;
    await client.createSchedule({ ...hourly, typeName: "idle", overlap: "skip" });
    await watched(fixture);
    await leapToTick(fixture, "hourly");
    await soon(fixture, "the first", async () => (await ticksOf(fixture, "hourly")).length === 1);
    await leapToTick(fixture, "hourly");
    await soon(fixture, "the second", async () => (await ticksOf(fixture, "hourly")).length === 2);
    match("skipped", (await ticksOf(fixture, "hourly"))[0], { chainId: undefined, reason: "overlap" });
    const { lastChainId = "", skippedCount } = await scheduleOf(fixture, "hourly");
    equal("counted", skippedCount, 1);
    await fixture.eventLog.until("the event", ({ type }) => type === "tick-skipped");
    await client.cancelChain({ id: lastChainId });
    await leapToTick(fixture, "hourly");
    await soon(fixture, "the third", async () => (await ticksOf(fixture, "hourly")).length === 3);
    holds("started", (await ticksOf(fixture, "hourly"))[0]?.chainId !== undefined, undefined);
  },
});
