import { equal, match, rejected } from "../check.ts";
import {
  breaker,
  failAll,
  failuresOf,
  halfOpen,
  hasFailed,
  hasSucceeded,
  lookMs,
  main,
  pause,
  probeOf,
  resume,
} from "./breaking.ts";
import { deferred, failed } from "./build.ts";
import type { Held } from "./fixture.ts";
import { rules } from "./group.ts";
import { change, complete, declare, limitOf, places, rate, take, times, under, waysToEnd } from "./limiting.ts";

/** Keys that failures have closed, and that one job at a time tries. */
export const limitHalfOpenCases = rules("limits", {
  "a half-open key lets one job at a time begin, over all workers and types, until one succeeds": async (fixture) => {
    await halfOpen(fixture);
    await fixture.start(times(3, () => under(main, "b")));
    const other = await fixture.connect();
    const claims = [fixture, other, fixture, other].map((each) => take(each, ["a", "b"]));
    const [probe, ...more] = (await Promise.all(claims)).flat();
    equal("no more", more, []);
    if (probe === undefined) throw new Error("there is no probe");
    for (let looked = 0; looked < 3; looked += 1) {
      fixture.advance(lookMs);
      equal("no other", await take(fixture, ["a", "b"]), []);
    }
    match("half open", await limitOf(fixture, "smtp", "main"), { running: 1 });
    equal("after three", await failuresOf(fixture), 3);
    equal("it succeeds", await change(other, [hasSucceeded(probe)]), [true]);
    await complete(fixture, probe);
    const rest = await take(fixture, ["a", "b"]);
    equal("all begin", rest.length, 7);
    equal(
      "none of them is a probe",
      rest.filter(({ limits }) => limits?.[0]?.isProbe === true),
      [],
    );
    match("normal", await limitOf(fixture, "smtp", "main"), { breaker: undefined, opensInMs: undefined });
  },

  "a probe that fails closes the key again, and attempts that began before do not": async (fixture) => {
    await declare(fixture, { smtp: places(50) });
    await fixture.start(times(8, () => under(main)));
    const held = await take(fixture, ["a"], { limit: 4, leaseMs: 600_000 });
    const [late] = held.slice(3);
    equal("open", await failAll(fixture, held.slice(0, 3)), [false, false, true]);
    fixture.advance(breaker.openMs);
    const probe = await probeOf(fixture);
    if (late === undefined) throw new Error("four jobs were not claimed");
    equal("a late failure", await change(fixture, [hasFailed(late)]), [false]);
    equal("a late success", await change(fixture, [hasSucceeded(late)]), [false]);
    equal("that of the probe", await change(fixture, [hasFailed(probe)]), [true]);
    equal("a second report", await change(fixture, [hasFailed(probe)]), [false]);
    await fixture.settled(failed(probe.fence));
    match("closed again", await limitOf(fixture, "smtp", "main"), { opensInMs: 60_000 });
    equal("after four", await failuresOf(fixture), 4);
    fixture.advance(59_999);
    equal("not yet", await take(fixture), []);
    fixture.advance(1);
    await probeOf(fixture);
  },

  "a probe whose worker died is still the only one, and the worker that takes it over ends the breaker": async (
    fixture,
  ) => {
    await halfOpen(fixture, { typeNames: ["a", "b"] });
    const probe = await probeOf(fixture);
    fixture.advance(40_000);
    equal("none of another type", await take(fixture, ["b"]), []);
    const again = await probeOf(fixture);
    equal("the same job", [again.id, again.attempt], [probe.id, 2]);
    fixture.advance(lookMs);
    equal("no other", await take(fixture, ["a", "b"]), []);
    equal("it succeeds", await change(fixture, [hasSucceeded(again)]), [true]);
    await complete(fixture, again);
    equal("the others", (await take(fixture, ["a", "b"])).length, 9);
  },

  "the next job is the probe after one that was put off, cancelled or deleted, or that ended without a report": async (
    fixture,
  ) => {
    await halfOpen(fixture, { waiting: 6 });
    const seen = new Set<string>();
    for (const how of ["put off", "cancelled", "deleted", "failed", "completed"] as const) {
      const probe = await probeOf(fixture);
      seen.add(probe.id);
      await waysToEnd[how](fixture, probe);
      fixture.advance(lookMs);
    }
    equal("five jobs", seen.size, 5);
    await probeOf(fixture);
    equal("half open", await failuresOf(fixture), 3);
  },

  "a key with a rate only has one probe at a time as well": async (fixture) => {
    await halfOpen(fixture, { rule: rate(100, 1_000) });
    const probe = await probeOf(fixture);
    fixture.advance(lookMs);
    equal("no other", await take(fixture), []);
    equal("it succeeds", await change(fixture, [hasSucceeded(probe)]), [true]);
    equal("the others begin beside it", (await take(fixture)).length, 4);
  },

  "a job that has kept its place for a retry is the probe of its key": async (fixture) => {
    await declare(fixture, { smtp: places(3) });
    await fixture.start(times(5, () => under(main, "a", { holds: true })));
    const held = await take(fixture);
    const numbers = { ...breaker, failures: 1, openMs: 5_000 };
    for (const each of held) {
      await change(fixture, [hasFailed(each, numbers)]);
      await fixture.settled(deferred(each.fence, { schedule: { afterMs: 100 } }));
    }
    fixture.advance(4_000);
    equal("open", await take(fixture), []);
    fixture.advance(2_000);
    const probe = await probeOf(fixture);
    equal("one of them", [held.some(({ id }) => id === probe.id), probe.limits?.[0]?.isProbe], [true, true]);
    fixture.advance(lookMs);
    equal("no other", await take(fixture), []);
    equal("it succeeds", await change(fixture, [hasSucceeded(probe)]), [true]);
    await complete(fixture, probe);
    fixture.advance(lookMs);
    equal("the others", (await take(fixture)).length, 3);
  },

  "of a pause and an open breaker the later end counts": async (fixture) => {
    await halfOpen(fixture);
    await change(fixture, [pause(5_000)]);
    fixture.advance(4_999);
    equal("paused", await take(fixture), []);
    fixture.advance(1);
    const probe = await probeOf(fixture);
    equal("open", await change(fixture, [pause(5_000), hasFailed(probe)]), [true, true]);
    await fixture.settled(failed(probe.fence));
    fixture.advance(5_000);
    match("not paused", await limitOf(fixture, "smtp", "main"), { pausedUntil: undefined, opensInMs: 55_000 });
    equal("open", await take(fixture), []);
  },

  "a resume of a key, or of the whole limit, ends its breaker": async (fixture) => {
    await halfOpen(fixture);
    await probeOf(fixture);
    await change(fixture, [resume("other")]);
    equal("another key", await failuresOf(fixture), 3);
    await change(fixture, [resume("main")]);
    match("its own", await limitOf(fixture, "smtp", "main"), { breaker: undefined });
    const held = await take(fixture);
    equal("all begin", held.length, 4);
    equal("it opens", await failAll(fixture, held.slice(0, 3)), [false, false, true]);
    await fixture.start(times(2, () => under(main)));
    equal("open", await take(fixture), []);
    await change(fixture, [resume()]);
    equal("all keys", (await take(fixture)).length, 2);
  },

  "a claim in a transaction that rolls back leaves a half-open key without a probe": async (fixture) => {
    await halfOpen(fixture);
    const undo = new Error("undo");
    const thrown = await rejected(
      "it rolls back",
      fixture.store.transaction(async (tx) => {
        equal("one job", (await take(fixture, ["a"], { tx })).length, 1);
        throw undo;
      }),
    );
    equal("with its error", thrown === undo, true);
    fixture.advance(lookMs);
    equal("its first attempt", (await probeOf(fixture)).attempt, 1);
  },

  "of a claim in an open transaction and another claim one gives a half-open key its probe, and none waits": async (
    fixture,
  ) => {
    await halfOpen(fixture, { typeNames: ["a", "b"] });
    const begun: Held[] = [];
    let own: readonly Held[] = [];
    try {
      await fixture.store.transaction(async (tx) => {
        own = await take(fixture, ["a"], { tx });
        // Not where calls of others wait for the transaction.
        if (fixture.store.insideTransaction === undefined) begun.push(...(await take(fixture, ["b"])));
      });
      begun.push(...own);
    } catch (error) {
      if (!fixture.store.isConflict(error)) throw error;
    }
    equal("one job", begun.length, 1);
    fixture.advance(lookMs);
    equal("and no other", await take(fixture, ["a", "b"]), []);
  },
});
