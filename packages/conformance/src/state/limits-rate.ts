import { equal, holds, match } from "../check.ts";
import { completed, deferred } from "./build.ts";
import type { StateFixture } from "./fixture.ts";
import { rules } from "./group.ts";
import { change, declare, lookAtLanes, rate, take, takeOne, times, under } from "./limiting.ts";

const smtp = { smtp: "main" };

/** Claims whenever the store says that something may be due, and returns the moments of all beginnings. */
async function beginnings(fixture: StateFixture, forMs: number): Promise<readonly number[]> {
  const begun: number[] = [];
  const first = fixture.now();
  for (let at = first; at < first + forMs; at = fixture.now()) {
    const reply = await lookAtLanes(fixture, ["a"], { leaseMs: 3_600_000 });
    begun.push(...reply.claimed.map(() => at - first));
    fixture.advance(Math.max(1, Math.ceil(Math.min(reply.nextDueInMs ?? 1_000, 1_000))));
  }
  return begun;
}

/** Claims as long as the store says that there is more to claim at this moment, as a worker does. Returns how many jobs begin. */
async function beginNow(fixture: StateFixture): Promise<number> {
  const limit = 1_000;
  for (let begun = 0; ;) {
    const { claimed, nextDueInMs } = await lookAtLanes(fixture, ["a"], { limit, leaseMs: 3_600_000 });
    begun += claimed.length;
    if (claimed.length < limit && nextDueInMs !== 0) return begun;
  }
}

/** Beginnings in windows of time. */
export const limitRateCases = rules("limits", {
  "in no window of time more jobs begin than the rate allows, and as many as it allows do (C2)": async (fixture) => {
    await declare(fixture, { smtp: rate(3, 400) });
    await fixture.start(times(12, () => under(smtp)));
    const begun = await beginnings(fixture, 1_500);
    equal("three a window", begun, [0, 0, 0, 400, 400, 400, 800, 800, 800, 1_200, 1_200, 1_200]);
  },

  "a window is any span of time: beginnings late in one count for the next (C2)": async (fixture) => {
    await declare(fixture, { smtp: rate(2, 1_000) });
    await fixture.start(times(6, () => under(smtp)));
    await takeOne(fixture);
    fixture.advance(900);
    equal("one more", (await take(fixture)).length, 1);
    fixture.advance(100);
    equal("the first has left the window", (await take(fixture)).length, 1);
    fixture.advance(899);
    equal("the second has not", await take(fixture), []);
    fixture.advance(1);
    equal("now it has", (await take(fixture)).length, 1);
  },

  "an attempt after a retry spends of the rate like any other (C2)": async (fixture) => {
    await declare(fixture, { smtp: rate(1, 500) });
    await fixture.startOne(under(smtp));
    const first = await takeOne(fixture);
    await fixture.settled(deferred(first.fence));
    equal("not yet", await take(fixture), []);
    fixture.advance(500);
    equal("the same job", (await takeOne(fixture)).id, first.id);
  },

  "spread beginnings are spaced evenly (C2)": async (fixture) => {
    await declare(fixture, { smtp: rate(4, 1_000, true) });
    await fixture.start(times(5, () => under(smtp)));
    equal("one each quarter", await beginnings(fixture, 1_100), [0, 250, 500, 750, 1_000]);
  },

  "each key has a rate of its own": async (fixture) => {
    await declare(fixture, { smtp: rate(2, 1_000) });
    await fixture.start(["x", "y"].flatMap((key) => times(3, () => under({ smtp: key }))));
    equal("two each", (await take(fixture)).length, 4);
  },

  "a limit with places and a rate keeps both (C1, C2)": async (fixture) => {
    await declare(fixture, { smtp: { concurrency: 2, rate: { count: 3, perMs: 1_000, spread: false } } });
    await fixture.start(times(8, () => under(smtp)));
    const [first, second] = await take(fixture);
    equal("no place", await take(fixture), []);
    for (const held of [first, second]) if (held !== undefined) await fixture.settled(deferred(held.fence));
    equal("one token", (await take(fixture)).length, 1);
    equal("none left", await take(fixture), []);
    fixture.advance(1_000);
    equal("one place", (await take(fixture)).length, 1);
  },

  "a place that becomes free before the rate allows a beginning is taken when it does (C4)": async (fixture) => {
    await declare(fixture, { smtp: { concurrency: 1, rate: { count: 1, perMs: 1_000, spread: false } } });
    await fixture.start(times(2, () => under(smtp)));
    const held = await takeOne(fixture);
    equal("no place", await take(fixture), []);
    fixture.advance(100);
    await fixture.settled(completed(held.fence));
    const { claimed, nextDueInMs } = await lookAtLanes(fixture);
    equal("no token", claimed, []);
    holds("it says when", (nextDueInMs ?? Infinity) <= 900, nextDueInMs);
    fixture.advance(900);
    equal("both", (await take(fixture)).length, 1);
  },

  "beginnings before a clock was set back count in their window (C2)": async (fixture) => {
    await declare(fixture, { smtp: rate(2, 1_000) });
    await fixture.start(times(2, () => under(smtp)));
    equal("two", (await take(fixture, ["a"], { leaseMs: 3_600_000 })).length, 2);
    fixture.advance(1_500);
    await fixture.startOne(under(smtp));
    equal("one in the next window", (await take(fixture, ["a"], { leaseMs: 3_600_000 })).length, 1);
    fixture.advance(-1_000);
    await fixture.startOne(under(smtp));
    equal("none in the first window again", await take(fixture), []);
    fixture.advance(5_000);
    equal("later", (await take(fixture)).length, 1);
  },

  "a rate that was lowered while the key was full lets the next job begin when it allows it (C4)": async (fixture) => {
    await declare(fixture, { smtp: { concurrency: 1, rate: { count: 2, perMs: 1_000, spread: false } } });
    await fixture.start(times(2, () => under(smtp)));
    const held = await takeOne(fixture);
    equal("no place", await take(fixture), []);
    await change(fixture, [{ kind: "override", limit: "smtp", key: "main", rule: rate(1, 1_000) }]);
    await fixture.settled(completed(held.fence));
    equal("no token", await take(fixture), []);
    fixture.advance(1_000);
    equal("both", (await take(fixture)).length, 1);
  },

  "many keys whose windows end at the same moment begin again at that moment (C4)": async (fixture) => {
    const keys = Array.from({ length: 350 }, (_, n) => `k${n}`);
    await declare(fixture, { smtp: rate(1, 1_000) });
    await fixture.start(keys.flatMap((key) => times(2, () => under({ smtp: key }))));
    equal("the first of each", await beginNow(fixture), keys.length);
    fixture.advance(1_000);
    equal("the second of each", await beginNow(fixture), keys.length);
  },

  "a claim says when the rate lets the next job begin": async (fixture) => {
    await declare(fixture, { smtp: rate(1, 400) });
    await fixture.start(times(2, () => under(smtp)));
    await take(fixture, ["a"], { leaseMs: 60_000 });
    fixture.advance(100);
    const { claimed, nextDueInMs } = await lookAtLanes(fixture);
    equal("none", claimed, []);
    holds("within the rest of the window", (nextDueInMs ?? 0) > 0 && (nextDueInMs ?? Infinity) <= 300, nextDueInMs);
    match("another type", await lookAtLanes(fixture, ["b"]), { nextDueInMs: undefined });
  },

  "a token is not given back by a job that ends soon (C2)": async (fixture) => {
    await declare(fixture, { smtp: rate(1, 1_000) });
    await fixture.start(times(2, () => under(smtp)));
    const held = await takeOne(fixture);
    await fixture.store.cancel([{ chainId: held.chainId, reason: undefined }], fixture.options());
    equal("spent", await take(fixture), []);
    fixture.advance(1_000);
    equal("the other", (await take(fixture)).length, 1);
  },
});
