import { equal, holds } from "../check.ts";
import { deferred, job } from "./build.ts";
import type { Held, StateFixture } from "./fixture.ts";
import { rules } from "./group.ts";
import { complete, declare, fair, keyOf, keysOf, places, take, takeOne, tally, times, under } from "./limiting.ts";

const idsOf = (held: readonly { readonly id: string }[]) => held.map(({ id }) => id);

/** Claims this many jobs one after the other, and completes each. */
async function run(fixture: StateFixture, count: number): Promise<readonly Held[]> {
  const run_: Held[] = [];
  for (let n = 0; n < count; n += 1) {
    const held = await takeOne(fixture);
    await complete(fixture, held);
    run_.push(held);
  }
  return run_;
}

/** Order within a lane, and turns between lanes. */
export const limitLaneCases = rules("limits", {
  "jobs with a key begin in the order of their starts (C6)": async (fixture) => {
    await declare(fixture, { order: places(1) });
    const started = [];
    for (let n = 0; n < 4; n += 1) started.push(...(await fixture.start(times(2, () => under({ order: "1" })))));
    equal("in order", idsOf(await run(fixture, 8)), idsOf(started));
  },

  "jobs with a key begin by priority first": async (fixture) => {
    await declare(fixture, { order: places(1) });
    const started = await fixture.start([-5, 0, 7, 0, 7].map((priority) => under({ order: "1" }, "a", { priority })));
    const expected = [2, 4, 1, 3, 0].map((index) => started[index]?.id);
    equal("in order", idsOf(await run(fixture, 5)), expected);
  },

  "a job of a higher priority goes before one that waits already": async (fixture) => {
    await declare(fixture, { order: places(1) });
    const [first] = await fixture.start(times(2, () => under({ order: "1" })));
    const held = await takeOne(fixture);
    equal("the first", held.id, first?.id);
    equal("full", await take(fixture), []);
    const urgent = await fixture.startOne(under({ order: "1" }, "a", { priority: 1 }));
    equal("still full", await take(fixture), []);
    await complete(fixture, held);
    equal("the urgent one", (await takeOne(fixture)).id, urgent.id);
  },

  "the key with the job of the highest priority comes first": async (fixture) => {
    await declare(fixture, { tenant: fair });
    await fixture.start([
      ...times(2, () => under({ tenant: "low" })),
      ...times(2, () => under({ tenant: "high" }, "a", { priority: 3 })),
      under({ tenant: "high" }),
      under({ tenant: "low" }, "a", { priority: -1 }),
    ]);
    equal("both", keysOf(await run(fixture, 2)), ["high", "high"]);
    equal("turns", tally(keysOf(await run(fixture, 2))), { low: 1, high: 1 });
  },

  "keys that always have jobs take turns, however many jobs one of them has (C5)": async (fixture) => {
    await declare(fixture, { tenant: fair });
    await fixture.start(times(20, () => under({ tenant: "many" })));
    await fixture.start([...times(4, () => under({ tenant: "few" })), ...times(4, () => under({ tenant: "some" }))]);
    const begun = keysOf(await run(fixture, 12));
    for (const end of [3, 6, 9, 12]) {
      const counts = tally(begun.slice(0, end));
      for (const key of ["many", "few", "some"]) {
        holds(`${key} of ${end}`, Math.abs((counts[key] ?? 0) - end / 3) <= 1, begun);
      }
    }
  },

  "a claim of several jobs shares them between the keys (C5)": async (fixture) => {
    await declare(fixture, { tenant: fair });
    await fixture.start([...times(20, () => under({ tenant: "x" })), ...times(20, () => under({ tenant: "y" }))]);
    equal("half each", tally(keysOf(await take(fixture, ["a"], { limit: 10 }))), { x: 5, y: 5 });
    equal("half each", tally(keysOf(await take(fixture, ["a"], { limit: 6 }))), { x: 3, y: 3 });
  },

  "a claim that some keys cannot fill takes more of the others": async (fixture) => {
    await declare(fixture, { tenant: places(4) });
    await fixture.start([...times(20, () => under({ tenant: "x" })), under({ tenant: "y" }), under({ tenant: "z" })]);
    const held = await take(fixture, ["a"], { limit: 6 });
    const more = await take(fixture, ["a"], { limit: 6 });
    equal("in two claims at most", tally(keysOf([...held, ...more])), { x: 4, y: 1, z: 1 });
  },

  "a key of weight three gets three jobs for each job of a key of weight one (C5)": async (fixture) => {
    await declare(fixture, { tenant: fair });
    await fixture.start(times(40, () => under({ tenant: "heavy" }, "a", { weight: 3 })));
    await fixture.start(times(40, () => under({ tenant: "light" })));
    equal("in a claim", tally(keysOf(await take(fixture, ["a"], { limit: 8 }))), { heavy: 6, light: 2 });
    equal("in another", tally(keysOf(await take(fixture, ["a"], { limit: 8 }))), { heavy: 6, light: 2 });
  },

  "weights count in claims of one job as well (C5)": async (fixture) => {
    await declare(fixture, { tenant: fair });
    await fixture.start(times(12, () => under({ tenant: "heavy" }, "a", { weight: 3 })));
    await fixture.start(times(12, () => under({ tenant: "light" })));
    equal("three to one", tally(keysOf(await run(fixture, 12))), { heavy: 9, light: 3 });
  },

  "the greatest weight of a job's limits counts": async (fixture) => {
    await declare(fixture, { p: fair, q: fair });
    const limits = [
      { limit: "p", key: "1", weight: 2 },
      { limit: "q", key: "1", weight: 4 },
    ];
    await fixture.start(times(20, () => job("a", { limits })));
    await fixture.start(times(20, () => under({ p: "2", q: "2" })));
    equal("four to one", tally(keysOf(await take(fixture, ["a"], { limit: 10 }))), { 1: 8, 2: 2 });
  },

  "jobs under limits and others of the same type take turns: neither waits until the others are done": async (
    fixture,
  ) => {
    await declare(fixture, { tenant: places(50) });
    await fixture.start([...times(40, () => under({ tenant: "x" })), ...times(40, () => job("a"))]);
    const counts = tally((await run(fixture, 24)).map(keyOf));
    holds("both", (counts["x"] ?? 0) >= 2 && (counts["none"] ?? 0) >= 2, counts);
  },

  "a full key does not keep a claim from the jobs of other keys (C4)": async (fixture) => {
    await declare(fixture, { tenant: places(1) });
    const full = Array.from({ length: 12 }, (_, n) => `full-${n}`);
    await fixture.start(full.flatMap((tenant) => times(3, () => under({ tenant }))));
    equal("one of each", (await take(fixture)).length, 12);
    equal("full", await take(fixture), []);
    await fixture.startOne(under({ tenant: "free" }));
    equal("the free one", keysOf(await take(fixture, ["a"], { limit: 1 })), ["free"]);
  },

  "keys that share a full limit take turns as its places become free (C5)": async (fixture) => {
    await declare(fixture, { all: places(1), tenant: places(5) });
    await fixture.start(times(12, () => under({ all: "1", tenant: "x" })));
    await fixture.start(times(4, () => under({ all: "1", tenant: "y" })));
    const begun = (await run(fixture, 8)).map(({ limits }) => limits?.[1]?.key ?? "");
    equal("half each", tally(begun), { x: 4, y: 4 });
  },

  "a key that found a shared limit full comes before those that have begun meanwhile (C5)": async (fixture) => {
    await declare(fixture, { all: places(1), tenant: places(5) });
    await fixture.start(["x", "y", "z"].flatMap((tenant) => times(6, () => under({ all: "1", tenant }))));
    const begun: string[] = [];
    for (let round = 0; round < 9; round += 1) {
      const held = await take(fixture, ["a"], { limit: 3 });
      begun.push(...held.map(({ limits }) => limits?.[1]?.key ?? ""));
      for (const each of held) await complete(fixture, each);
    }
    equal("a third each", tally(begun), { x: 3, y: 3, z: 3 });
    for (const end of [3, 6])
      equal(`each once in three, from ${end} on`, tally(begun.slice(end - 3, end)), { x: 1, y: 1, z: 1 });
  },

  "a job that waits for a retry enters its lane again where its start was (C6)": async (fixture) => {
    await declare(fixture, { order: places(1) });
    const started = await fixture.start(times(3, () => under({ order: "1" })));
    const first = await takeOne(fixture);
    await fixture.settled(deferred(first.fence));
    equal("the same first", idsOf(await run(fixture, 3)), idsOf(started));
  },
});
