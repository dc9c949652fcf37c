import { equal, holds, match } from "../check.ts";
import { completed, deferred, failed } from "./build.ts";
import type { StateFixture } from "./fixture.ts";
import { rules } from "./group.ts";
import { change, complete, declare, limitOf, places, rate, take, takeOne, times, under } from "./limiting.ts";
import { maintainAll } from "./upkeep-passes.ts";

const acme = { tenant: "acme" };

const beat = (typeNames: readonly string[]) => {
  return { workerId: "w-1", name: "w-1", typeNames, concurrency: 1, holds: 0, aliveForMs: 3_600_000 };
};

async function listed(fixture: StateFixture): Promise<readonly string[]> {
  return (await fixture.store.listLimits({ limit: 1_000 }, fixture.options())).map(
    ({ limit, key }) => `${limit} ${key}`,
  );
}

/** What maintenance does about limits. */
export const limitUpkeepCases = rules("limits", {
  "many keys that come and go leave nothing behind": async (fixture) => {
    await declare(fixture, { tenant: places(1), smtp: rate(3, 1_000) });
    for (let round = 0; round < 3; round += 1) {
      const keys = Array.from({ length: 80 }, (_, n) => `${round}-${n}`);
      await fixture.start(keys.map((key) => under({ tenant: key, smtp: key })));
      for (const held of await take(fixture)) await complete(fixture, held);
    }
    equal("no job is left", await take(fixture), []);
    fixture.advance(120_000);
    await take(fixture);
    await maintainAll(fixture);
    equal("no key is left", await listed(fixture), []);
  },

  "keys in use, paused keys and overrides stay, and so does what they count": async (fixture) => {
    await declare(fixture, { tenant: places(1) });
    await fixture.start(["run", "wait", "wait", "failed"].map((tenant) => under({ tenant })));
    const held = await take(fixture, ["a"], { leaseMs: 3_600_000 });
    const gone = held.find(({ limits }) => limits?.[0]?.key === "failed");
    if (gone !== undefined)
      await fixture.store.cancel([{ chainId: gone.chainId, reason: undefined }], fixture.options());
    await change(fixture, [
      { kind: "pause", limit: "tenant", key: "paused", forMs: undefined },
      { kind: "override", limit: "tenant", key: "own", rule: places(7) },
    ]);
    await fixture.store.heartbeat(beat(["a"]), fixture.options());
    fixture.advance(120_000);
    await maintainAll(fixture);
    const keys = await listed(fixture);
    for (const key of ["run", "wait", "paused"]) holds(key, keys.includes(`tenant ${key}`), keys);
    equal("the other has gone", keys.includes("tenant failed"), false);
    match("the override counts", await limitOf(fixture, "tenant", "own"), { rule: places(7) });
    match("the pause counts", await limitOf(fixture, "tenant", "paused"), { pausedUntil: Infinity });
    await fixture.start(times(8, () => under({ tenant: "own" })));
    equal("seven", (await take(fixture)).length, 7);
    equal("full", await take(fixture), []);
  },

  "failures of a key stay while they count, and a key that has been half open for a week is normal again": async (
    fixture,
  ) => {
    await declare(fixture, { tenant: places(9) });
    const breaker = { failures: 3, withinMs: 600_000, openMs: 60_000 };
    const fail = async () => {
      await fixture.startOne(under(acme));
      const { id, fence } = await takeOne(fixture);
      const report = { limit: "tenant", key: "acme", jobId: id, fence: fence.fence, breaker } as const;
      const [hasOpened] = await change(fixture, [{ kind: "failed", ...report }]);
      await fixture.settled(failed(fence));
      fixture.advance(120_000);
      await take(fixture);
      await maintainAll(fixture);
      return hasOpened;
    };
    equal("the third opens it", [await fail(), await fail(), await fail()], [false, false, true]);
    match("half open", await limitOf(fixture, "tenant", "acme"), { opensInMs: undefined });
    equal("three", (await limitOf(fixture, "tenant", "acme")).breaker?.failures, 3);
    fixture.advance(7 * 86_400_000);
    await take(fixture);
    await maintainAll(fixture);
    match("forgotten", await limitOf(fixture, "tenant", "acme"), { breaker: undefined });
    equal("no key is left", await listed(fixture), []);
  },

  "many keys whose tokens rest keep maintenance neither busy nor from removing other keys": async (fixture) => {
    await declare(fixture, { smtp: rate(1, 86_400_000), tenant: places(1) });
    const keys = Array.from({ length: 150 }, (_, n) => String(n));
    await fixture.start([...keys.map((key) => under({ smtp: key })), under(acme)]);
    let ended = 0;
    for (let held = await take(fixture); held.length > 0; held = await take(fixture)) {
      for (const each of held) await complete(fixture, each);
      ended += held.length;
    }
    equal("all", ended, 151);
    fixture.advance(120_000);
    for (let round = 0; round < 3; round += 1) await maintainAll(fixture);
    equal("no place is left", (await listed(fixture)).includes("tenant acme"), false);
  },

  "a chain can be retried after its key has gone": async (fixture) => {
    await declare(fixture, { tenant: places(1) });
    const chain = await fixture.startOne(under(acme));
    await fixture.store.cancel([{ chainId: chain.id, reason: undefined }], fixture.options());
    await take(fixture);
    fixture.advance(120_000);
    await maintainAll(fixture);
    const item = { chainId: chain.id, input: undefined, typeName: undefined };
    await fixture.store.retry([item], fixture.options());
    await fixture.startOne(under(acme));
    equal("one", (await take(fixture)).length, 1);
    equal("full", await take(fixture), []);
  },

  "beginnings are not forgotten before they have left their window (C2)": async (fixture) => {
    await declare(fixture, { tenant: rate(1, 3_600_000) });
    await fixture.startOne(under(acme));
    await complete(fixture, await takeOne(fixture));
    fixture.advance(1_800_000);
    await maintainAll(fixture);
    await fixture.startOne(under(acme));
    equal("spent", await take(fixture), []);
    fixture.advance(1_800_000);
    equal("free", (await take(fixture)).length, 1);
  },

  "a job of a type that no live worker takes gives its place back a minute after its lease": async (fixture) => {
    await declare(fixture, { tenant: places(1) });
    await fixture.store.heartbeat(beat(["b"]), fixture.options());
    await fixture.start([under(acme, "gone"), under(acme, "b")]);
    const lost = await takeOne(fixture, "gone", { leaseMs: 1_000 });
    fixture.advance(60_999);
    await maintainAll(fixture);
    equal("it may come back", await take(fixture, ["b"]), []);
    fixture.advance(1);
    await maintainAll(fixture);
    const held = await takeOne(fixture, "b");
    equal("the old attempt has lost it", (await fixture.settle(completed(lost.fence))).status, "lost");
    match("it waits", await fixture.job(lost.id), { status: "ready" });
    equal("full", await take(fixture, ["gone"]), []);
    await complete(fixture, held);
    equal("it begins again", (await takeOne(fixture, "gone")).id, lost.id);
  },

  "a job of a type that no live worker takes gives a place that it has kept for a retry back a minute after it was due":
    async (fixture) => {
      await declare(fixture, { tenant: places(1) });
      await fixture.store.heartbeat(beat(["b"]), fixture.options());
      await fixture.start([under(acme, "gone", { holds: true }), under(acme, "b")]);
      const kept = await takeOne(fixture, "gone");
      await fixture.settled(deferred(kept.fence, { schedule: { afterMs: 1_000 } }));
      fixture.advance(60_999);
      await maintainAll(fixture);
      equal("it may begin again", await take(fixture, ["b"]), []);
      fixture.advance(1);
      await maintainAll(fixture);
      const held = await takeOne(fixture, "b");
      match("it waits", await fixture.job(kept.id), { status: "ready" });
      equal("full", await take(fixture, ["gone"]), []);
      await complete(fixture, held);
      const again = await takeOne(fixture, "gone");
      equal("it begins again", [again.id, again.attempt], [kept.id, 2]);
    },

  "a job of a type that a live worker takes keeps its place, however long its lease is out (C3)": async (fixture) => {
    await declare(fixture, { tenant: places(1) });
    await fixture.store.heartbeat(beat(["a", "b"]), fixture.options());
    await fixture.start([under(acme, "a"), under(acme, "b")]);
    const lost = await takeOne(fixture, "a", { leaseMs: 1_000 });
    fixture.advance(600_000);
    await maintainAll(fixture);
    equal("full", await take(fixture, ["b"]), []);
    equal("it is taken over", (await takeOne(fixture)).id, lost.id);
  },

  "maintenance forgets pauses whose time has passed, and no others": async (fixture) => {
    await declare(fixture, { tenant: places(1) });
    const pause = (key: string | undefined, forMs: number | undefined) =>
      ({ kind: "pause", limit: "tenant", key, forMs }) as const;
    await change(fixture, [
      pause("short", 1_000),
      pause("long", 500_000),
      pause("open", undefined),
      pause(undefined, 1_000),
    ]);
    fixture.advance(120_000);
    await maintainAll(fixture);
    equal("the others", await listed(fixture), ["tenant long", "tenant open"]);
  },
});
