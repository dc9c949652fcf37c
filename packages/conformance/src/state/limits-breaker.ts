import { equal, match } from "../check.ts";
import { breaker, failAll, failuresOf, hasFailed, hasSucceeded, main, probeOf } from "./breaking.ts";
import { rules } from "./group.ts";
import { change, complete, declare, keysOf, limitOf, lookAtLanes, places, take, times, under } from "./limiting.ts";

/** Keys that failures close. */
export const limitBreakerCases = rules("limits", {
  "no job of a key begins after as many failures as its breaker allows, until its time is over": async (fixture) => {
    await declare(fixture, { smtp: places(50) });
    await fixture.start(times(4, () => under(main)));
    await fixture.startOne(under({ smtp: "other" }));
    const held = await take(fixture, ["a"], { leaseMs: 600_000 });
    equal("five", held.length, 5);
    const own = held.filter((each) => each.limits?.[0]?.key === "main");
    equal("the third", await failAll(fixture, own), [false, false, true, false]);
    await fixture.start(times(2, () => under(main)));
    await fixture.startOne(under({ smtp: "other" }));
    equal("only the other key", keysOf(await take(fixture, ["a"], { leaseMs: 600_000 })), ["other"]);
    match("shown", await limitOf(fixture, "smtp", "main"), {
      breaker: { failures: 3, openUntil: fixture.now() + 60_000 },
      opensInMs: 60_000,
      pausedUntil: undefined,
    });
    match("the other", await limitOf(fixture, "smtp", "other"), { breaker: undefined });
    const busy = await fixture.store.listLimits({ isBusy: true, limit: 10 }, fixture.options());
    equal(
      "it is busy",
      busy.map(({ key }) => key),
      ["main"],
    );
    fixture.advance(59_999);
    equal("not yet", await take(fixture), []);
    fixture.advance(1);
    equal("one tries it", (await probeOf(fixture)).limits, [{ limit: "smtp", key: "main", isProbe: true }]);
  },

  "a claim is told when the breaker is half open": async (fixture) => {
    await declare(fixture, { smtp: places(50) });
    await fixture.start(times(2, () => under(main)));
    const [held] = await take(fixture, ["a"], { limit: 1 });
    if (held !== undefined) await change(fixture, [hasFailed(held, { ...breaker, failures: 1, openMs: 700 })]);
    const { claimed, nextDueInMs } = await lookAtLanes(fixture);
    equal("then", [claimed, nextDueInMs], [[], 700]);
  },

  "failures count only within the time of the breaker, and each attempt once": async (fixture) => {
    await declare(fixture, { smtp: places(50) });
    await fixture.start(times(5, () => under(main)));
    const [a, b, c, d, e] = await take(fixture);
    if (a === undefined || b === undefined || c === undefined || d === undefined || e === undefined) return;
    equal("one attempt", await change(fixture, [hasFailed(a), hasFailed(a), hasFailed(a)]), [false, false, false]);
    fixture.advance(5_000);
    equal("and another", await change(fixture, [hasFailed(b)]), [false]);
    fixture.advance(5_000);
    equal("the first is too old", await change(fixture, [hasFailed(c)]), [false]);
    equal("again", await change(fixture, [hasFailed(b), hasFailed(c)]), [false, false]);
    equal("three within its time", await change(fixture, [hasFailed(d)]), [true]);
    equal("it is open", await change(fixture, [hasFailed(e)]), [false]);
    equal("three", await failuresOf(fixture), 3);
  },

  "reports about a limit or a key that has no open breaker change nothing": async (fixture) => {
    await declare(fixture, { smtp: places(1) });
    await fixture.start(times(2, () => under(main)));
    const held = await take(fixture);
    const [first] = held;
    if (first === undefined) return;
    equal("a success", await change(fixture, [hasSucceeded(first)]), [false]);
    equal("unknown", await change(fixture, [{ ...hasFailed(first), limit: "none" }]), [false]);
    equal("unknown", await change(fixture, [{ ...hasSucceeded(first), limit: "none" }]), [false]);
    await complete(fixture, first);
    equal("the next", (await take(fixture))[0]?.limits, [{ limit: "smtp", key: "main" }]);
  },

  "of failures that are reported at once exactly one opens the breaker": async (fixture) => {
    await declare(fixture, { smtp: places(50) });
    await fixture.start(times(3, () => under(main)));
    const held = await take(fixture);
    const others = await Promise.all(held.map(() => fixture.connect()));
    const reports = held.map((each, index) => change(others[index] ?? fixture, [hasFailed(each)]));
    equal("one", (await Promise.all(reports)).flat().filter(Boolean).length, 1);
    equal("three", await failuresOf(fixture), 3);
  },
});
