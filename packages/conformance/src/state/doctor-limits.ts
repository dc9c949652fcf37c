import { equal, match } from "../check.ts";
import { findAndMend, examine } from "./examining.ts";
import { deferred } from "./build.ts";
import { rulesWith } from "./group.ts";
import { declare, limitOf, places, rate, take, takeOne, times, under } from "./limiting.ts";

const acme = { tenant: "acme" };

/** Places whose jobs do not hold them, and the reverse. */
export const doctorLimitCases = rulesWith("doctor of limits", "faults", {
  "a place that no job holds is found, and freed for the next claim (C3)": async (fixture) => {
    await declare(fixture, { tenant: places(2) });
    await fixture.start(times(4, () => under(acme)));
    const held = await takeOne(fixture);
    await fixture.planting().addPlace("tenant", "acme");
    equal("full", await take(fixture), []);
    await findAndMend(fixture, "place-without-job");
    equal("one more", (await take(fixture)).length, 1);
    match("the job that runs keeps its place", await limitOf(fixture, "tenant", "acme"), { running: 2, waiting: 2 });
    await fixture.settled(deferred(held.fence));
  },

  "a job that runs without its places is found, and gets them (C3)": async (fixture) => {
    await declare(fixture, { tenant: places(2), user: places(1) });
    await fixture.start(times(4, () => under({ ...acme, user: "u" })));
    const held = await takeOne(fixture);
    await fixture.planting().losePlaces(held.id);
    await findAndMend(fixture, "job-without-place", { id: held.id, chainId: held.chainId, typeName: "a" });
    equal("full", await take(fixture), []);
    match("held", await limitOf(fixture, "tenant", "acme"), { running: 1 });
  },

  "a job whose place another one has taken meanwhile gets one above the limit, and none above it is granted": async (
    fixture,
  ) => {
    await declare(fixture, { tenant: places(1) });
    await fixture.start(times(3, () => under(acme)));
    const first = await takeOne(fixture);
    await fixture.planting().losePlaces(first.id);
    fixture.advance(1_000);
    const second = await takeOne(fixture);
    await findAndMend(fixture, "job-without-place", { id: first.id });
    match("two run", await limitOf(fixture, "tenant", "acme"), { running: 2 });
    await fixture.settled(deferred(first.fence, { schedule: { afterMs: 60_000 } }));
    equal("still full", await take(fixture), []);
    await fixture.settled(deferred(second.fence, { schedule: { afterMs: 60_000 } }));
    equal("free", (await take(fixture)).length, 1);
  },

  "jobs under limits in any state are no fault (C3)": async (fixture) => {
    await declare(fixture, { tenant: places(3), smtp: rate(9, 1_000) });
    await fixture.start([
      ...times(5, () => under({ ...acme, smtp: "m" })),
      under(acme, "a", { schedule: { afterMs: 60_000 } }),
      ...times(2, () => under({ unknown: "u" })),
      under(acme, "a", { holds: true, priority: 1 }),
    ]);
    const [kept, other] = await take(fixture, ["a"], { leaseMs: 1_000 });
    if (kept !== undefined) await fixture.settled(deferred(kept.fence, { schedule: { afterMs: 5_000 } }));
    if (other !== undefined) await fixture.settled(deferred(other.fence));
    equal("none", await examine(fixture, 100), []);
    fixture.advance(2_000);
    equal("none with leases that ran out", await examine(fixture, 100), []);
    await take(fixture);
    equal("none after a take-over", await examine(fixture, 100), []);
  },
});
