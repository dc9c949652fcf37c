import { equal, holds, match } from "../check.ts";
import { deferred } from "./build.ts";
import { accepted, type Held, type StateFixture } from "./fixture.ts";
import { rules } from "./group.ts";
import {
  change,
  complete,
  declare,
  fair,
  keyOf,
  keysOf,
  limitOf,
  lookAtLanes,
  places,
  rate,
  take,
  takeOne,
  tally,
  times,
  under,
} from "./limiting.ts";
import { maintainAll } from "./upkeep-passes.ts";

const idsOf = (held: readonly { readonly id: string }[]) => held.map(({ id }) => id);
const tenantOf = ({ limits }: Held) => limits?.find(({ limit }) => limit === "tenant")?.key ?? "none";

/** Runs a job with each of these keys, so that the store knows them, and no job waits for any. */
async function known(fixture: StateFixture, keys: readonly Readonly<Record<string, string>>[]): Promise<void> {
  for (const each of keys) {
    await fixture.startOne(under(each));
    await complete(fixture, await takeOne(fixture));
  }
}

const tenants = (...names: readonly string[]) => names.map((tenant) => ({ tenant }));

/** Claims this many jobs one after the other, and completes each. */
async function run(fixture: StateFixture, count: number): Promise<readonly Held[]> {
  const all: Held[] = [];
  for (let n = 0; n < count; n += 1) {
    const held = await takeOne(fixture);
    await complete(fixture, held);
    all.push(held);
  }
  return all;
}

/** A store may let the job of a key for which none waits begin by a shorter way. It keeps all promises there too. */
export const limitIdleCases = rules("limits, for keys for which no job waits", {
  "jobs begin in the order of their starts (C6)": async (fixture) => {
    await declare(fixture, { order: places(1) });
    await known(fixture, [{ order: "1" }]);
    const started = await fixture.start(times(30, () => under({ order: "1" })));
    equal("in order", idsOf(await run(fixture, 30)), idsOf(started));
  },

  "a job that waits again comes before later ones of its key, which had found the key full and no slot (C6)": async (
    fixture,
  ) => {
    await declare(fixture, { order: places(1) });
    await known(fixture, [{ order: "1" }]);
    const [first, second] = await fixture.start(times(2, () => under({ order: "1" })));
    const held = await takeOne(fixture);
    equal("the first", held.id, first?.id);
    equal("no slot", await take(fixture, ["a"], { startable: 0 }), []);
    const third = await fixture.startOne(under({ order: "1" }));
    equal("no slot", await take(fixture, ["a"], { startable: 0 }), []);
    await fixture.settled(deferred(held.fence));
    equal("in order", idsOf(await run(fixture, 3)), [first?.id, second?.id, third.id]);
  },

  "a job that found no slot comes before later ones of its key (C6)": async (fixture) => {
    await declare(fixture, { order: places(1) });
    await known(fixture, [{ order: "1" }]);
    const first = await fixture.startOne(under({ order: "1" }));
    equal("no slot", await take(fixture, ["a"], { startable: 0 }), []);
    match("it waits", await limitOf(fixture, "order", "1"), { running: 0, waiting: 1 });
    match("it is ready", await fixture.job(first.id), { status: "ready" });
    const others = await fixture.start([
      ...times(20, () => under({ order: "1" })),
      under({ order: "1" }, "a", { priority: 1 }),
    ]);
    const urgent = others.at(-1);
    equal("in order", idsOf(await run(fixture, 22)), [urgent?.id, first.id, ...idsOf(others.slice(0, -1))]);
  },

  "a job that found no slot comes before other keys with its priority, also behind one that waits again": async (
    fixture,
  ) => {
    await declare(fixture, { order: places(1), tenant: places(1) });
    await known(fixture, [{ order: "1" }, { tenant: "x" }]);
    await fixture.startOne(under({ order: "1" }));
    const held = await takeOne(fixture);
    const urgent = await fixture.startOne(under({ order: "1" }, "a", { priority: 3 }));
    equal("no slot", await take(fixture, ["a"], { startable: 0 }), []);
    await fixture.settled(deferred(held.fence));
    await fixture.start(times(2, () => under({ tenant: "x" }, "a", { priority: 2 })));
    const begun = await run(fixture, 3);
    equal("by priority", begun.map(keyOf), ["1", "x", "x"]);
    equal("the urgent one", begun[0]?.id, urgent.id);
  },

  "of all jobs under limits that of the highest priority begins first": async (fixture) => {
    await declare(fixture, { tenant: places(2) });
    await known(fixture, tenants("x", "y"));
    const started = await fixture.start([
      under({ tenant: "x" }, "a", { priority: 1 }),
      under({ tenant: "y" }, "a", { priority: 2 }),
      under({ tenant: "y" }, "a", { priority: 3 }),
      under({ tenant: "x" }, "a", { priority: 5 }),
      under({ tenant: "y" }, "a", { priority: 4 }),
    ]);
    const expected = [3, 4, 2, 1, 0].map((index) => started[index]?.id);
    equal("by priority", idsOf(await run(fixture, 5)), expected);
  },

  "keys take turns, however many jobs one of them has (C5)": async (fixture) => {
    await declare(fixture, { tenant: fair });
    await known(fixture, tenants("many", "few", "some"));
    await fixture.start(times(60, () => under({ tenant: "many" })));
    await fixture.start([...times(6, () => under({ tenant: "few" })), ...times(6, () => under({ tenant: "some" }))]);
    const begun = keysOf(await run(fixture, 18));
    for (const end of [6, 9, 12, 15, 18]) {
      const counts = tally(begun.slice(0, end));
      for (const key of ["many", "few", "some"])
        holds(`${key} of ${end}`, Math.abs((counts[key] ?? 0) - end / 3) <= 1, begun);
    }
  },

  "a key that has one job at a time takes turns with one that has many (C5)": async (fixture) => {
    await declare(fixture, { tenant: fair });
    await known(fixture, tenants("many", "one"));
    await fixture.start(times(30, () => under({ tenant: "many" })));
    await fixture.startOne(under({ tenant: "one" }));
    const begun: string[] = [];
    for (let n = 0; n < 20; n += 1) {
      const [held] = await run(fixture, 1);
      begun.push(tenantOf(held ?? (await takeOne(fixture))));
      if (begun.at(-1) === "one") await fixture.startOne(under({ tenant: "one" }));
    }
    const { one = 0 } = tally(begun);
    holds("as often, but for the first turns", one >= 9 && one <= 11, begun);
  },

  "a key that comes after a long backlog of others gets its turn, and does not wait for all of it (C5)": async (
    fixture,
  ) => {
    await declare(fixture, { tenant: fair });
    const keys = Array.from({ length: 20 }, (_, n) => `k${n}`);
    await known(fixture, tenants(...keys, "new"));
    for (let round = 0; round < 15; round += 1) await fixture.start(keys.map((tenant) => under({ tenant })));
    // Claims in the second in which they come may be in the order of the starts.
    await run(fixture, 5);
    fixture.advance(1_001);
    await fixture.startOne(under({ tenant: "new" }));
    const begun = (await run(fixture, 50)).map(tenantOf);
    holds("in its turn", begun.includes("new"), begun);
  },

  "a key that comes after thousands of jobs of another waits for few of them (C5)": async (fixture) => {
    await declare(fixture, { tenant: fair });
    await known(fixture, tenants("many", "new"));
    for (let calls = 0; calls < 6; calls += 1) await fixture.start(times(500, () => under({ tenant: "many" })));
    await fixture.startOne(under({ tenant: "new" }));
    const begun = (await run(fixture, 12)).map(tenantOf);
    holds("in its turn", begun.includes("new"), begun);
  },

  "a claim of several jobs shares them between the keys, by weight (C5)": async (fixture) => {
    await declare(fixture, { tenant: fair });
    await known(fixture, tenants("heavy", "light"));
    await fixture.start([
      ...times(60, () => under({ tenant: "heavy" }, "a", { weight: 3 })),
      ...times(60, () => under({ tenant: "light" })),
    ]);
    for (let claims = 0; claims < 3; claims += 1)
      equal("three to one", tally(keysOf(await take(fixture, ["a"], { limit: 8 }))), { heavy: 6, light: 2 });
  },

  "one claim takes no more places than there are, of either of two limits (C1)": async (fixture) => {
    await declare(fixture, { all: places(3), tenant: places(1) });
    await known(
      fixture,
      ["x", "y", "z", "w"].map((tenant) => ({ all: "1", tenant })),
    );
    await fixture.start(["x", "x", "y", "z", "w"].map((tenant) => under({ all: "1", tenant })));
    const held = await take(fixture);
    equal("each once", held.map(tenantOf), ["x", "y", "z"]);
    match("full", await limitOf(fixture, "all", "1"), { running: 3, waiting: 2 });
    equal("full", await take(fixture), []);
    for (const each of held) await complete(fixture, each);
    equal("the others", (await take(fixture)).map(tenantOf).toSorted(), ["w", "x"]);
  },

  "a job does not take the place for which one of another key waits, in claims of one and of many (C5)": async (
    fixture,
  ) => {
    await declare(fixture, { all: places(1), tenant: places(5) });
    await known(
      fixture,
      ["x", "y", "z"].map((tenant) => ({ all: "1", tenant })),
    );
    for (const limit of [1, 20, 20, 20]) {
      await fixture.startOne(under({ all: "1", tenant: "x" }));
      const running = await takeOne(fixture);
      await fixture.startOne(under({ all: "1", tenant: "y" }));
      equal("full", await take(fixture), []);
      await fixture.start(times(2, () => under({ all: "1", tenant: "z" })));
      await complete(fixture, running);
      const begun = await take(fixture, ["a"], { limit });
      equal("in turn", begun.map(tenantOf), ["y"]);
      for (const each of begun) await complete(fixture, each);
      equal("then the others", (await run(fixture, 2)).map(tenantOf), ["z", "z"]);
    }
  },

  "a job does not take a place of a limit that was raised, for which jobs of other keys wait (C5)": async (fixture) => {
    await declare(fixture, { all: places(1), tenant: fair });
    await known(
      fixture,
      ["x", "y", "z", "w"].map((tenant) => ({ all: "1", tenant })),
    );
    await fixture.start(["x", "y", "z"].map((tenant) => under({ all: "1", tenant })));
    equal("one place", (await take(fixture)).map(tenantOf), ["x"]);
    await fixture.startOne(under({ all: "1", tenant: "w" }));
    await change(fixture, [{ kind: "override", limit: "all", key: undefined, rule: places(3) }]);
    equal("in turn", (await take(fixture)).map(tenantOf), ["y", "z"]);
  },

  "one claim begins no more jobs than a rate allows (C2)": async (fixture) => {
    await declare(fixture, { smtp: rate(3, 1_000), tenant: places(5) });
    await known(fixture, [{ smtp: "main", tenant: "x" }]);
    fixture.advance(1_000);
    await fixture.start(times(2, () => under({ smtp: "main", tenant: "x" })));
    await fixture.start(times(5, () => under({ smtp: "main", tenant: "y" })));
    equal("three", (await take(fixture)).length, 3);
    match("one second later", await lookAtLanes(fixture), { claimed: [], nextDueInMs: 1_000 });
  },

  "a pause holds their jobs back, also those that found no slot before it": async (fixture) => {
    await declare(fixture, { tenant: places(1) });
    await known(fixture, tenants("x"));
    await fixture.startOne(under({ tenant: "x" }));
    equal("no slot", await take(fixture, ["a"], { startable: 0 }), []);
    await change(fixture, [{ kind: "pause", limit: "tenant", key: "x", forMs: 500 }]);
    match("paused", await lookAtLanes(fixture), { claimed: [], nextDueInMs: 500 });
    fixture.advance(500);
    equal("over", keysOf(await take(fixture)), ["x"]);
  },

  "a claim ahead of the slots leaves half of the places free, and what it leaves begins in its turn": async (
    fixture,
  ) => {
    await declare(fixture, { tenant: places(4) });
    await known(fixture, tenants("x", "y", "z"));
    const started = await fixture.start(["x", "y", "z", "x", "x", "x"].map((tenant) => under({ tenant })));
    const ahead = [];
    for (let claims = 0; claims < 5; claims += 1) ahead.push(...(await take(fixture, ["a"], { startable: 0 })));
    // A store may claim none ahead.
    if (ahead.length > 0) equal("half", tally(ahead.map(tenantOf)), { x: 2, y: 1, z: 1 });
    const all = [...ahead, ...(await take(fixture))];
    const ofX = (each: Held) => keyOf(each) === "x";
    equal(
      "in order",
      idsOf(all.filter(ofX)),
      [0, 3, 4, 5].map((index) => started[index]?.id),
    );
    equal("each once", all.length, 6);
  },

  "maintenance keeps the key of a job that found no slot": async (fixture) => {
    await declare(fixture, { tenant: places(1) });
    await known(fixture, tenants("x"));
    const first = await fixture.startOne(under({ tenant: "x" }));
    equal("no slot", await take(fixture, ["a"], { startable: 0 }), []);
    await maintainAll(fixture);
    await fixture.startOne(under({ tenant: "y" }, "a", { priority: 1 }));
    await complete(fixture, await takeOne(fixture));
    const held = await takeOne(fixture);
    equal("it", held.id, first.id);
    match("it has its place", await limitOf(fixture, "tenant", "x"), { running: 1 });
    await complete(fixture, held);
    match("it has given it back", await limitOf(fixture, "tenant", "x"), { running: 0 });
  },

  "a job that found no slot can be cancelled, and takes no place": async (fixture) => {
    await declare(fixture, { tenant: places(1) });
    await known(fixture, tenants("x"));
    const chain = await fixture.startOne(under({ tenant: "x" }));
    equal("no slot", await take(fixture, ["a"], { startable: 0 }), []);
    accepted("cancelled", await fixture.store.cancel([{ chainId: chain.id, reason: undefined }], fixture.options()));
    await fixture.startOne(under({ tenant: "x" }));
    equal("the next one", keysOf(await take(fixture)), ["x"]);
    match("nothing waits", await limitOf(fixture, "tenant", "x"), { running: 1, waiting: 0 });
  },
});
