import { equal, holds, match, only, rejected, sameMembers } from "../check.ts";
import { completed, job } from "./build.ts";
import { rules } from "./group.ts";
import {
  chainIdOf,
  changed,
  create,
  gaps,
  itemOf,
  scheduleOf,
  settings,
  startsAt,
  statusesOf,
  tick,
  ticked,
  tickOnce,
  ticksOf,
} from "./recurring-calls.ts";
import type { StateFixture } from "./fixture.ts";

async function chainsOf(fixture: StateFixture): Promise<readonly string[]> {
  return (await fixture.claim(["a"], { limit: 1_000 })).map(({ chainId }) => chainId);
}

export const tickCases = rules("tick", {
  "starts a chain, is on record, and advances its schedule, in one call": async (fixture) => {
    await create(fixture, "s", 0);
    fixture.advance(20);
    const at = fixture.now() - 20;
    const [begun] = await tickOnce(fixture, "s", { to: 1_000 });
    match("the start", begun, { status: "started" });
    const chainId = chainIdOf(begun);
    match("the chain", await fixture.chain(chainId), { typeName: "a", status: "active", createdAt: fixture.now() });
    match("the schedule", await scheduleOf(fixture, "s"), {
      revision: 1,
      nextAt: fixture.now() + 1_000,
      lastAt: at,
      lastChainId: chainId,
      tzVersion: "2025b",
      missedCount: 0,
      skippedCount: 0,
      updatedAt: at,
    });
    const record = { scheduleId: "s", at, chainId, reason: undefined, madeAt: fixture.now() };
    equal("on record", await ticksOf(fixture, "s"), [record]);
    equal("by chain", await fixture.store.listTicks({ chainIds: [chainId] }, fixture.options()), [record]);
    equal("claimed", await chainsOf(fixture), [chainId]);
  },

  "B1: of two ticks from the same state the second is taken, on any connection": async (fixture) => {
    await create(fixture, "s", 0);
    const item = await itemOf(fixture, "s", { to: 1_000 });
    const other = await fixture.connect();
    const replies = await Promise.all([
      tick(fixture, [item]),
      tick(other, [{ ...item, starts: startsAt(fixture.now()) }]),
    ]);
    sameMembers(
      "one of them",
      replies.map((reply) => only("one", reply).status),
      ["taken", "ticked"],
    );
    equal("one chain", (await chainsOf(fixture)).length, 1);
    equal("on record", (await ticksOf(fixture, "s")).length, 1);
  },

  "B1: an instant that is on record starts no second chain, although its schedule was set back": async (fixture) => {
    await create(fixture, "s", 0);
    const at = fixture.now();
    const first = chainIdOf((await tickOnce(fixture, "s", { to: 1_000 }))[0]);
    const { revision, nextAt } = await scheduleOf(fixture, "s");
    await changed(fixture, [{ id: "s", from: { revision, nextAt }, to: settings(fixture, 0) }]);
    equal("known", statusesOf(await tickOnce(fixture, "s", { to: 1_000 })), ["known"]);
    match("it advanced", await scheduleOf(fixture, "s"), { nextAt: at + 1_000, lastChainId: first });
    equal("one chain", await chainsOf(fixture), [first]);
    match("on record", only("one", await ticksOf(fixture, "s")), { at, chainId: first });
  },

  "nothing is written for a schedule that is missing, paused, edited, not due or at another tick": async (fixture) => {
    await create(fixture, "due", 0);
    await create(fixture, "paused", 0, { pausedAt: fixture.now() });
    await create(fixture, "later", 1);
    const item = await itemOf(fixture, "due");
    const replies = await tick(fixture, [
      { ...item, scheduleId: "missing" },
      await itemOf(fixture, "paused"),
      await itemOf(fixture, "due", { revision: 2 }),
      await itemOf(fixture, "later"),
    ]);
    equal(
      "all are taken",
      replies.map(({ status }) => status),
      ["taken", "taken", "taken", "taken"],
    );
    equal("its next tick is another", await tick(fixture, [await itemOf(fixture, "due", { nextAt: 1 })]), [
      { status: "taken" },
    ]);
    equal("no chain", await chainsOf(fixture), []);
    for (const id of ["due", "paused", "later"]) {
      equal(`no tick of ${id}`, await ticksOf(fixture, id), []);
      match(`${id} stays`, await scheduleOf(fixture, id), { lastAt: undefined, lastChainId: undefined });
    }
  },

  "B2: in a transaction that rolls back neither a chain nor the advance is left": async (fixture) => {
    await create(fixture, "s", 0);
    const before = await scheduleOf(fixture, "s");
    await rejected(
      "rejects",
      fixture.store.transaction(async (tx) => {
        ticked(await tick(fixture, [await itemOf(fixture, "s", { to: 5 })], tx));
        match("inside", await scheduleOf(fixture, "s", tx), { nextAt: fixture.now() + 5 });
        throw new Error("undo");
      }),
    );
    equal("the schedule", await scheduleOf(fixture, "s"), before);
    equal("no tick", await ticksOf(fixture, "s"), []);
    equal("no chain", await chainsOf(fixture), []);
    equal("it ticks", statusesOf(await tickOnce(fixture, "s")), ["started"]);
  },

  "several starts of one schedule, and several schedules, are written in one call, in order": async (fixture) => {
    await create(fixture, "s", 0);
    await create(fixture, "t", 0);
    const now = fixture.now();
    const starts = startsAt(now - 2, now - 1, now);
    const replies = await tick(fixture, [
      await itemOf(fixture, "s", { lastAt: now }, { starts, missed: 7 }),
      { ...(await itemOf(fixture, "t")), scheduleId: "none" },
      await itemOf(fixture, "t", { to: 9 }),
    ]);
    equal(
      "the replies",
      replies.map(({ status }) => status),
      ["ticked", "taken", "ticked"],
    );
    const [first, , third] = replies;
    const begun = ticked(first === undefined ? [] : [first]);
    equal(
      "the chains",
      begun.map(chainIdOf),
      starts.map(({ start }) => start.id),
    );
    equal("the other", statusesOf(ticked(third === undefined ? [] : [third])), ["started"]);
    match("s", await scheduleOf(fixture, "s"), { nextAt: undefined, lastAt: now, missedCount: 7 });
    match("its last chain", await scheduleOf(fixture, "s"), { lastChainId: starts[2]?.start.id });
    equal(
      "latest first",
      (await ticksOf(fixture, "s")).map(({ at }) => at),
      [now, now - 1, now - 2],
    );
    equal(
      "first in, first out",
      (await chainsOf(fixture)).slice(0, 3),
      starts.map(({ start }) => start.id),
    );
  },

  "skipped instants are on record with their reason, and start nothing": async (fixture) => {
    await create(fixture, "s", 0);
    const now = fixture.now();
    const skipped = [
      { at: now - 1, reason: "missed" },
      { at: now, reason: "missed" },
    ] as const;
    await tickOnce(fixture, "s", { to: 10 }, { starts: [], skipped, missed: 2 });
    const on = (at: number) => ({ scheduleId: "s", at, chainId: undefined, reason: "missed" as const, madeAt: now });
    equal("on record", await ticksOf(fixture, "s"), [on(now), on(now - 1)]);
    match("the schedule", await scheduleOf(fixture, "s"), { missedCount: 2, skippedCount: 0, lastChainId: undefined });
    const page = { scheduleIds: ["s"], before: now, limit: 5 };
    equal("a page", await fixture.store.listTicks(page, fixture.options()), [on(now - 1)]);
    equal("no chain", await chainsOf(fixture), []);
  },

  "returns the latest ticks of several schedules, as many of each as asked for, in the order of the ids": async (
    fixture,
  ) => {
    const now = fixture.now();
    for (const [id, count] of [
      ["a", 3],
      ["b", 1],
      ["c", 2],
    ] as const) {
      await create(fixture, id, 0);
      const skipped = Array.from({ length: count }, (_, back) => ({ at: now - back, reason: "missed" }) as const);
      await tickOnce(fixture, id, { to: 10 }, { starts: [], skipped, missed: count });
    }
    const listed = async (ids: readonly string[], before?: number) => {
      const query = { scheduleIds: ids, before, limit: 2 };
      const ticks = await fixture.store.listTicks(query, fixture.options());
      return ticks.map(({ scheduleId, at }) => `${scheduleId} ${now - at}`);
    };
    equal("two of each", await listed(["c", "a", "none", "b"]), ["c 0", "c 1", "a 0", "a 1", "b 0"]);
    equal("before an instant", await listed(["a", "b", "c"], now), ["a 1", "a 2", "c 1"]);
    equal("none asked for", await listed([]), []);
  },

  "with overlap: skip a start is left out while the chain before is active, and goes on after its end": async (
    fixture,
  ) => {
    await create(fixture, "s", 0);
    const skip = { overlap: "skip" } as const;
    const now = fixture.now();
    const both = await tickOnce(fixture, "s", { to: 10 }, { ...skip, starts: startsAt(now - 1, now) });
    const first = chainIdOf(both[0]);
    equal("the second of one call", both[1], { status: "overlap", chainId: first });
    fixture.advance(10);
    equal("the next one", await tickOnce(fixture, "s", { to: 10 }, skip), [{ status: "overlap", chainId: first }]);
    match("counted", await scheduleOf(fixture, "s"), { skippedCount: 2, lastChainId: first, lastAt: fixture.now() });
    match("on record", (await ticksOf(fixture, "s"))[0], { at: fixture.now(), chainId: undefined, reason: "overlap" });
    await fixture.settled(completed({ chainId: first, typeName: "a" }));
    fixture.advance(10);
    equal("after its end", statusesOf(await tickOnce(fixture, "s", { to: 10 }, skip)), ["started"]);
    const { lastChainId = "" } = await scheduleOf(fixture, "s");
    await fixture.store.remove({ chainIds: [lastChainId], cascade: false }, fixture.options());
    fixture.advance(10);
    equal("after it was deleted", statusesOf(await tickOnce(fixture, "s", {}, skip)), ["started"]);
  },

  "a start with a deduplication key that a chain holds returns that chain, which is on record": async (fixture) => {
    const deduplication = { key: "k", scope: "active", windowMs: undefined } as const;
    const holder = await fixture.startOne(job("a", { deduplication }));
    await create(fixture, "s", 0);
    const starts = [{ at: fixture.now(), start: job("a", { deduplication }) }];
    const [begun] = await tickOnce(fixture, "s", {}, { starts });
    equal("the start", chainIdOf(begun), holder.id);
    match("on record", only("one", await ticksOf(fixture, "s")), { chainId: holder.id });
    equal("one chain", await chainsOf(fixture), [holder.id]);
  },

  "a start can be due later, and have a priority, tags and the context of an observer": async (fixture) => {
    await create(fixture, "s", 0);
    const details = { priority: 5, tags: { a: "b" }, context: "[null]", schedule: { at: fixture.now() + 1_000 } };
    await tickOnce(fixture, "s", {}, { starts: [{ at: fixture.now(), start: job("a", details) }] });
    match("scheduled", await fixture.look(["a"]), { claimed: [], nextDueInMs: 1_000 });
    fixture.advance(1_000);
    const held = await fixture.claimOne("a");
    match("claimed", held, { priority: 5, context: "[null]" });
    equal("tags", (await fixture.chain(held.chainId)).tags, { a: "b" });
  },

  "without an advance it fills what has no chain, once each, and the schedule stays": async (fixture) => {
    await create(fixture, "s", 0);
    const now = fixture.now();
    const skipped = [{ at: now - 1, reason: "missed" }] as const;
    await tickOnce(fixture, "s", { to: 10 }, { skipped });
    const before = await scheduleOf(fixture, "s");
    const filled = ticked(await tick(fixture, [gaps("s", now - 2, now - 1, now)]));
    equal("two of three", statusesOf(filled), ["started", "started", "known"]);
    equal("again", statusesOf(ticked(await tick(fixture, [gaps("s", now - 2, now - 1)]))), ["known", "known"]);
    equal("the schedule", await scheduleOf(fixture, "s"), before);
    equal("all have chains", (await ticksOf(fixture, "s")).filter(({ chainId }) => chainId !== undefined).length, 3);
    equal("a missing schedule", await tick(fixture, [gaps("none", now)]), [{ status: "taken" }]);
    await changed(fixture, [{ id: "s", from: before, to: { ...settings(fixture, 10), pausedAt: now } }]);
    equal("a paused one", statusesOf(ticked(await tick(fixture, [gaps("s", now - 3)]))), ["started"]);
  },

  "ticks outlive their schedule, whose successor does not repeat them": async (fixture) => {
    await create(fixture, "s", 0);
    const at = fixture.now();
    const chainId = chainIdOf((await tickOnce(fixture, "s", { to: 10 }))[0]);
    await changed(fixture, [{ id: "s", from: { revision: 1, nextAt: at + 10 }, to: undefined }]);
    match("on record", only("one", await ticksOf(fixture, "s")), { at, chainId });
    await create(fixture, "s", 0);
    equal("known", statusesOf(await tickOnce(fixture, "s", {})), ["known"]);
    match("the new one", await scheduleOf(fixture, "s"), { lastAt: at, lastChainId: undefined });
  },

  "B1: many connections that tick the same schedules at the same time start one chain each": async (fixture) => {
    const ids = Array.from({ length: 50 }, (_, index) => `s-${index}`);
    for (const id of ids) await create(fixture, id, 0);
    const connections = await Promise.all(Array.from({ length: 4 }, () => fixture.connect()));
    await Promise.all(
      connections.map(async (connection) => {
        const { schedules } = await connection.store.dueSchedules(100, connection.options());
        const items = await Promise.all(schedules.map(({ id }) => itemOf(connection, id, { to: 1_000 })));
        const due = items.filter((item) => (item.advance?.nextAt ?? Infinity) <= fixture.now());
        await fixture.insist(() => tick(connection, due));
      }),
    );
    equal("one chain each", (await chainsOf(fixture)).length, ids.length);
    for (const id of ids) {
      equal(`one tick of ${id}`, (await ticksOf(fixture, id)).length, 1);
      holds(`${id} advanced`, (await scheduleOf(fixture, id)).nextAt === fixture.now() + 1_000, id);
    }
  },
});
