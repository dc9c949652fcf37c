import { equal, match, present, rejectsWith } from "../check.ts";
import { inTime } from "./event-log.ts";
import { behaviours } from "./group.ts";
import { hour, hourly, leapToTick, scheduleOf, soon, ticksOf, watched } from "./scheduling.ts";

export const scheduleCallsCases = behaviours("calls about schedules", {
  "applySchedules creates, changes what differs, deletes what is no longer listed, and keeps edits": async (
    fixture,
  ) => {
    const { client } = fixture;
    await client.createSchedule({ ...hourly, id: "by hand" });
    const [a, b, c] = ["a", "b", "c"].map((id) => ({ ...hourly, id }));
    const declared = [present("a", a), present("b", b)];
    equal("created", await client.applySchedules({ owner: "x", schedules: declared }), {
      created: ["a", "b"],
      updated: [],
      deleted: [],
    });
    await client.updateSchedule({ id: "a", cron: "5 * * * *" });
    const nothing = { created: [], updated: [], deleted: [] };
    equal("the same again", await client.applySchedules({ owner: "x", schedules: declared }), nothing);
    match("the edit stays", await scheduleOf(fixture, "a"), { cron: "5 * * * *", edited: ["cron"] });
    const next = [{ ...present("a", a), cron: "10 * * * *", priority: 3 }, present("c", c)];
    equal("changed", await client.applySchedules({ owner: "x", schedules: next }), {
      created: ["c"],
      updated: ["a"],
      deleted: ["b"],
    });
    match("declared and edited", await scheduleOf(fixture, "a"), { cron: "5 * * * *", priority: 3 });
    match("reset", await client.resetSchedule({ id: "a" }), { cron: "10 * * * *", edited: [] });
    equal(
      "of another owner",
      (await client.listSchedules({ owner: "x" })).items.map(({ id }) => id),
      ["a", "c"],
    );
    await rejectsWith("taken", client.applySchedules({ owner: "y", schedules: next }), "invalid-input");
    equal("none is left", (await client.applySchedules({ owner: "x", schedules: [] })).deleted, ["a", "c"]);
    equal(
      "the other one",
      (await client.listSchedules()).items.map(({ id }) => id),
      ["by hand"],
    );
  },

  "a trigger starts a chain beside the ticks, also while the schedule is paused": async (fixture) => {
    const { client } = fixture;
    const ran = await watched(fixture);
    await client.createSchedule({ ...hourly, paused: true });
    const before = await scheduleOf(fixture, "hourly");
    const chain = await client.triggerSchedule({ id: "hourly" });
    match("the chain", chain, { typeName: "work", input: { region: "eu" }, status: "active" });
    await inTime("it ends", client.awaitChain({ id: chain.id, typeName: "work" }));
    equal("no tick", ran, [{ input: { region: "eu" }, tick: undefined }]);
    equal("nothing changed", await scheduleOf(fixture, "hourly"), before);
    await rejectsWith("missing", client.triggerSchedule({ id: "none" }), "schedule-not-found");
  },

  "B1: a backfill starts what is missing, once each, and page by page": async (fixture) => {
    const { client, clock } = fixture;
    const created = await client.createSchedule({ ...hourly, typeName: "idle" });
    const next = present("a next tick", created.nextAt).getTime();
    const from = new Date(next - 5 * hour);
    const until = new Date(next - hour);
    const first = await client.backfillSchedule({ id: "hourly", from, until, limit: 3 });
    equal(
      "three",
      first.started.map(({ at }) => at.getTime()),
      [5, 4, 3].map((hours) => next - hours * hour),
    );
    equal("goes on", first.nextFrom?.getTime(), next - 2 * hour);
    const rest = await client.backfillSchedule({ id: "hourly", from, until });
    match("the others", { known: rest.known, nextFrom: rest.nextFrom }, { known: 3, nextFrom: undefined });
    equal("two", rest.started.length, 2);
    equal("the schedule stays", (await scheduleOf(fixture, "hourly")).nextAt?.getTime(), next);
    const future = new Date(clock.now() + hour);
    await rejectsWith("future", client.backfillSchedule({ id: "hourly", from, until: future }), "invalid-input");
  },

  "a failing run never ends its schedule": async (fixture) => {
    const { client } = fixture;
    await fixture.work({
      work: { retry: { maxAttempts: 1 }, handler: () => Promise.reject(new Error("always")) },
    });
    await client.createSchedule(hourly);
    for (const count of [1, 2, 3]) {
      await leapToTick(fixture, "hourly");
      await soon(fixture, "it failed", async () => {
        return (await client.listChains({ status: "failed" })).items.length === count;
      });
    }
    equal("three ticks", (await ticksOf(fixture, "hourly")).length, 3);
  },

  "every misuse is refused before anything is written": async (fixture) => {
    const { client } = fixture;
    await client.createSchedule(hourly);
    const bad: readonly (readonly [what: string, options: object, code: "invalid-input" | "duplicate-id"])[] = [
      ["an hour of 25", { cron: "0 25 * * *" }, "invalid-input"],
      ["no pattern", { cron: "often" }, "invalid-input"],
      ["no such day", { cron: "0 0 30 2 *" }, "invalid-input"],
      ["no such zone", { timeZone: "Europe/Wien" }, "invalid-input"],
      ["two rules", { everyMs: 5_000 }, "invalid-input"],
      ["no rule", { cron: undefined }, "invalid-input"],
      ["too often", { cron: undefined, everyMs: 999 }, "invalid-input"],
      ["over already", { endAt: new Date(0) }, "invalid-input"],
      ["a policy", { missed: "some" }, "invalid-input"],
      ["an overlap", { overlap: "maybe" }, "invalid-input"],
      ["a jitter", { jitterMs: -1 }, "invalid-input"],
      ["an unknown option", { every: 5 }, "invalid-input"],
      ["the id", { id: "" }, "invalid-input"],
      ["a taken id", { id: "hourly" }, "duplicate-id"],
    ];
    for (const [what, options, code] of bad) {
      const item = { ...hourly, id: "new", ...options };
      await rejectsWith(what, client.createSchedule(item), code);
    }
    equal("nothing was written", (await client.listSchedules()).items.length, 1);
    await rejectsWith("missing", client.updateSchedule({ id: "none", priority: 1 }), "schedule-not-found");
    await rejectsWith("missing", client.pauseSchedule({ id: "none" }), "schedule-not-found");
    await rejectsWith("missing", client.deleteSchedule({ id: "none" }), "schedule-not-found");
  },
});
