import { equal, match, rejected } from "../check.ts";
import { job } from "./build.ts";
import { rules } from "./group.ts";
import {
  changed,
  create,
  due,
  idsOf,
  listed,
  nextTickInMs,
  refusalOf,
  scheduleOf,
  settings,
  tickOnce,
} from "./recurring-calls.ts";

export const recurringCases = rules("recurring schedule", {
  "is listed as it was created": async (fixture) => {
    const to = settings(fixture, 5_000, {
      owner: "reports 日本",
      typeName: "report.build",
      declared: '{"cron":"0 9 * * *","input":{"a":"\\u0000日本"}}',
      override: '{"cron":"0 8 * * *"}',
      tzVersion: "2025b",
    });
    equal("the revision", await changed(fixture, [{ id: "a b/日本", from: undefined, to }]), [1]);
    const { now, schedules } = await listed(fixture);
    equal("the store's time", now, fixture.now());
    equal("the schedule", schedules, [
      {
        ...to,
        id: "a b/日本",
        revision: 1,
        lastAt: undefined,
        lastChainId: undefined,
        missedCount: 0,
        skippedCount: 0,
        forgotten: undefined,
        createdAt: fixture.now(),
        updatedAt: fixture.now(),
      },
    ]);
  },

  "a change writes all settings, adds 1 to the revision, and keeps what ticks have written": async (fixture) => {
    await create(fixture, "s", 0);
    await tickOnce(fixture, "s", { to: 1_000 });
    const before = await scheduleOf(fixture, "s");
    fixture.advance(10);
    const to = { ...settings(fixture, 7_000), pausedAt: fixture.now(), pausedReason: "broken", owner: "o" };
    const { revision, nextAt } = before;
    equal("the revision", await changed(fixture, [{ id: "s", from: { revision, nextAt }, to }]), [2]);
    equal("the schedule", await scheduleOf(fixture, "s"), {
      ...before,
      ...to,
      revision: 2,
      updatedAt: fixture.now(),
    });
  },

  "a change of another state is refused, and so are a second creation and a missing schedule": async (fixture) => {
    await create(fixture, "s", 1_000);
    const to = settings(fixture, 9_000);
    const nextAt = fixture.now() + 1_000;
    const wrong = { code: "schedule-changed", id: "s", actual: "1" } as const;
    match("revision", await refusalOf(fixture, [{ id: "s", from: { revision: 2, nextAt }, to }]), wrong);
    match("next tick", await refusalOf(fixture, [{ id: "s", from: { revision: 1, nextAt: nextAt + 1 }, to }]), wrong);
    match("no tick", await refusalOf(fixture, [{ id: "s", from: { revision: 1, nextAt: undefined }, to }]), wrong);
    match("taken", await refusalOf(fixture, [{ id: "s", from: undefined, to }]), { code: "duplicate-id", id: "s" });
    match("missing", await refusalOf(fixture, [{ id: "t", from: { revision: 1, nextAt }, to }]), {
      code: "schedule-not-found",
      id: "t",
    });
    match("as before", await scheduleOf(fixture, "s"), { revision: 1, nextAt });
  },

  "changes are all or nothing, and a refusal leaves the transaction usable": async (fixture) => {
    await create(fixture, "s", 1_000);
    const to = settings(fixture, 2_000);
    const from = { revision: 1, nextAt: fixture.now() + 1_000 };
    const changes = [
      { id: "n", from: undefined, to },
      { id: "s", from, to: undefined },
      { id: "t", from, to },
    ];
    match("refused", await refusalOf(fixture, changes), { code: "schedule-not-found", id: "t" });
    equal("nothing changed", idsOf((await listed(fixture)).schedules), ["s"]);
    await fixture.transact(async (tx) => {
      match("refused", await refusalOf(fixture, changes, tx), { code: "schedule-not-found" });
      await changed(fixture, changes.slice(0, 2), tx);
    });
    equal("the others", idsOf((await listed(fixture)).schedules), ["n"]);
  },

  "a creation, a change and a deletion in a transaction that rolls back change nothing": async (fixture) => {
    await create(fixture, "a", 1_000);
    await create(fixture, "b", 2_000);
    const before = await listed(fixture);
    await rejected(
      "rejects",
      fixture.store.transaction(async (tx) => {
        const to = settings(fixture, 500);
        await changed(
          fixture,
          [
            { id: "a", from: { revision: 1, nextAt: fixture.now() + 1_000 }, to: undefined },
            { id: "b", from: { revision: 1, nextAt: fixture.now() + 2_000 }, to },
            { id: "c", from: undefined, to },
          ],
          tx,
        );
        equal("inside", idsOf((await listed(fixture, {}, tx)).schedules), ["b", "c"]);
        throw new Error("undo");
      }),
    );
    equal("as before", await listed(fixture), before);
    equal("the next tick", await nextTickInMs(fixture), 1_000);
  },

  "a deleted schedule is not due, and its id can be used again": async (fixture) => {
    await create(fixture, "s", 0);
    await changed(fixture, [{ id: "s", from: { revision: 1, nextAt: fixture.now() }, to: undefined }]);
    equal("none is due", await due(fixture), { now: fixture.now(), schedules: [], nextTickInMs: undefined });
    equal("a new one", await create(fixture, "s", 5), [1]);
  },

  "is due once its next tick has come, the longest due first, and by id at the same time": async (fixture) => {
    await create(fixture, "c", 1_000);
    await create(fixture, "b", 2_000);
    await create(fixture, "a", 2_000);
    await create(fixture, "never", undefined);
    match("none", await due(fixture), { schedules: [], nextTickInMs: 1_000 });
    fixture.advance(999);
    match("not yet", await due(fixture), { schedules: [], nextTickInMs: 1 });
    fixture.advance(1_001);
    const all = await due(fixture);
    equal("all", idsOf(all.schedules), ["c", "a", "b"]);
    match("no other one", all, { now: fixture.now(), nextTickInMs: undefined });
    const two = await due(fixture, 2);
    equal("two", idsOf(two.schedules), ["c", "a"]);
    match("the third is due", two, { nextTickInMs: 0 });
    match("none is asked for", await due(fixture, 0), { now: fixture.now(), schedules: [], nextTickInMs: 0 });
    equal("as it is listed", all.schedules[0], await scheduleOf(fixture, "c"));
  },

  "B7: a paused schedule is not due and has no part in the next tick, and keeps it": async (fixture) => {
    await create(fixture, "paused", 1_000, { pausedAt: fixture.now() });
    await create(fixture, "other", 5_000);
    equal("the heartbeat", await nextTickInMs(fixture), 5_000);
    fixture.advance(2_000);
    match("not due", await due(fixture), { schedules: [], nextTickInMs: 3_000 });
    const { revision, nextAt } = await scheduleOf(fixture, "paused");
    equal("kept", nextAt, fixture.now() - 1_000);
    await changed(fixture, [
      { id: "paused", from: { revision, nextAt }, to: { ...settings(fixture, 0), nextAt, pausedAt: undefined } },
    ]);
    equal("due again", idsOf((await due(fixture)).schedules), ["paused"]);
  },

  "a heartbeat reports when the next schedule ticks": async (fixture) => {
    equal("there is none", await nextTickInMs(fixture), undefined);
    await create(fixture, "a", undefined);
    equal("none will tick", await nextTickInMs(fixture), undefined);
    await create(fixture, "b", 3_000);
    await create(fixture, "c", 2_000);
    equal("the first", await nextTickInMs(fixture), 2_000);
    fixture.advance(10_000);
    equal("it is late", await nextTickInMs(fixture), 0);
  },

  "schedules are listed in pages by id, in both orders": async (fixture) => {
    for (const id of ["d", "a", "e", "c", "b"]) await create(fixture, id, 1_000);
    const page = async (after: string | undefined, order: "ascending" | "descending") =>
      idsOf((await listed(fixture, { after, order, limit: 2 })).schedules);
    equal("first", await page(undefined, "ascending"), ["a", "b"]);
    equal("second", await page("b", "ascending"), ["c", "d"]);
    equal("third", await page("d", "ascending"), ["e"]);
    equal("down", await page(undefined, "descending"), ["e", "d"]);
    equal("down from c", await page("c", "descending"), ["b", "a"]);
  },

  "schedules are listed by id, owner, type, pause and version of the time zones": async (fixture) => {
    await create(fixture, "a", 1_000, { owner: "x", typeName: "t1", tzVersion: "2025a" });
    await create(fixture, "b", 1_000, { owner: "y", typeName: "t2", pausedAt: 5, tzVersion: "2025b" });
    await create(fixture, "c", undefined, { typeName: "t2", tzVersion: "2025a" });
    const by = async (query: Parameters<typeof listed>[1]) => idsOf((await listed(fixture, query)).schedules);
    equal("ids", await by({ ids: ["c", "none", "a"] }), ["a", "c"]);
    equal("no ids", await by({ ids: [] }), []);
    equal("owner", await by({ owner: "x" }), ["a"]);
    equal("types", await by({ typeNames: ["t2", "t3"] }), ["b", "c"]);
    equal("paused", await by({ isPaused: true }), ["b"]);
    equal("not paused", await by({ isPaused: false }), ["a", "c"]);
    equal("other zones, with a next tick", await by({ tzVersionNot: "2025b" }), ["a"]);
    equal("all conditions", await by({ ids: ["a", "b"], typeNames: ["t2"], isPaused: true, owner: "y" }), ["b"]);
  },

  "many schedules are created in one call": async (fixture) => {
    const count = 300;
    const ids = Array.from({ length: count }, (_, index) => `s-${String(index).padStart(3, "0")}`);
    const revisions = await changed(
      fixture,
      ids.map((id, index) => ({ id, from: undefined, to: settings(fixture, index) })),
    );
    equal("all are new", new Set(revisions), new Set([1]));
    fixture.advance(count);
    equal("all are due", idsOf((await due(fixture, count)).schedules), ids);
    await fixture.startOne(job("a"));
  },
});
