import { equal, match } from "../check.ts";
import { completed, deferred } from "./build.ts";
import { accepted } from "./fixture.ts";
import { rules } from "./group.ts";
import { change, complete, declare, limitOf, places, rate, take, takeOne, times, under } from "./limiting.ts";

const order = { order: "1" };
const held = (details = {}) => under(order, "a", { holds: true, ...details });
const later = { schedule: { afterMs: 1_000 } } as const;
const full = { running: 1, waiting: 2 };

/** Places that a job keeps while it waits for a retry. */
export const limitHoldingCases = rules("limits", {
  "a job that holds keeps its place for a retry, and no later job of its key begins before it has ended (C3, C6)":
    async (fixture) => {
      await declare(fixture, { order: places(1) });
      await fixture.start(times(3, held));
      const first = await takeOne(fixture);
      await fixture.settled(deferred(first.fence, later));
      equal("closed", await take(fixture), []);
      match("kept", await limitOf(fixture, "order", "1"), full);
      match("it waits", await fixture.job(first.id), { status: "scheduled", limits: [{ limit: "order", key: "1" }] });
      fixture.advance(999);
      equal("still", await take(fixture), []);
      fixture.advance(1);
      const again = await takeOne(fixture);
      equal("the same job", [again.id, again.attempt], [first.id, 2]);
      await fixture.settled(deferred(again.fence));
      const third = await takeOne(fixture);
      equal("due at once", [third.id, third.attempt], [first.id, 3]);
      equal("no other", await take(fixture), []);
      await complete(fixture, third);
      equal("then the next", (await take(fixture)).length, 1);
    },

  "a job that holds keeps its place when an attempt does not count": async (fixture) => {
    await declare(fixture, { order: places(1) });
    await fixture.start(times(2, held));
    const first = await takeOne(fixture);
    await fixture.settled(deferred(first.fence, { ...later, counted: false }));
    equal("closed", await take(fixture), []);
    fixture.advance(1_000);
    equal("the same job", (await takeOne(fixture)).id, first.id);
  },

  "an attempt cannot settle a job that keeps its place for a retry": async (fixture) => {
    await declare(fixture, { order: places(1) });
    await fixture.startOne(held());
    const first = await takeOne(fixture);
    await fixture.settled(deferred(first.fence));
    equal("it has lost it", (await fixture.settle(completed(first.fence))).status, "lost");
    const renewal = { workerId: "worker-1", held: [{ jobId: first.id, fence: first.fence.fence, leaseMs: 1_000 }] };
    equal("and cannot renew it", (await fixture.store.renew(renewal, fixture.options())).length, 1);
    equal("it is claimed", (await takeOne(fixture)).id, first.id);
  },

  "a job that keeps its place comes before others of its lane, whatever their priority": async (fixture) => {
    await declare(fixture, { order: places(1) });
    await fixture.startOne(held());
    const first = await takeOne(fixture);
    await fixture.start(times(2, () => held({ priority: 9 })));
    equal("full", await take(fixture), []);
    await fixture.settled(deferred(first.fence, later));
    equal("closed", await take(fixture), []);
    fixture.advance(1_000);
    equal("the same job", (await takeOne(fixture)).id, first.id);
  },

  "a place that is kept is free when its job is cancelled, completed from outside or deleted (C3, C4)": async (
    fixture,
  ) => {
    await declare(fixture, { order: places(1) });
    await fixture.start(times(4, held));
    const next = async () => {
      const job = await takeOne(fixture);
      await fixture.settled(deferred(job.fence, later));
      equal("closed", await take(fixture), []);
      return job.chainId;
    };
    const cancelled = await next();
    accepted("cancelled", await fixture.store.cancel([{ chainId: cancelled, reason: undefined }], fixture.options()));
    await fixture.settled(completed({ chainId: await next(), typeName: "a" }));
    const deleted = { chainIds: [await next()], cascade: false };
    accepted("deleted", await fixture.store.remove(deleted, fixture.options()));
    await takeOne(fixture);
    match("one place", await limitOf(fixture, "order", "1"), { running: 1, waiting: 0 });
  },

  "a job that keeps its place begins at once when it is triggered": async (fixture) => {
    await declare(fixture, { order: places(1) });
    await fixture.start(times(2, held));
    const first = await takeOne(fixture);
    await fixture.settled(deferred(first.fence, later));
    accepted("triggered", await fixture.store.trigger([first.id], fixture.options()));
    equal("the same job", (await takeOne(fixture)).id, first.id);
    equal("no other", await take(fixture), []);
  },

  "of two limits a job that holds keeps both places": async (fixture) => {
    await declare(fixture, { order: places(1), tenant: places(1) });
    const both = { order: "1", tenant: "acme" };
    await fixture.startOne(under(both, "a", { holds: true }));
    const first = await takeOne(fixture);
    await fixture.start([under({ order: "1" }), under({ tenant: "acme" })]);
    await fixture.settled(deferred(first.fence, later));
    equal("both closed", await take(fixture), []);
    fixture.advance(1_000);
    await complete(fixture, await takeOne(fixture));
    equal("both free", (await take(fixture)).length, 2);
  },

  "a retry of a job that keeps its place spends of the rate (C2)": async (fixture) => {
    await declare(fixture, { order: { concurrency: 1, rate: { count: 1, perMs: 2_000, spread: false } } });
    await fixture.startOne(held());
    const first = await takeOne(fixture);
    await fixture.settled(deferred(first.fence));
    equal("not yet", await take(fixture), []);
    fixture.advance(2_000);
    equal("the same job", (await takeOne(fixture)).id, first.id);
    equal("spent", await limitOf(fixture, "order", "1").then(({ opensInMs }) => opensInMs), 2_000);
  },

  "a pause holds back a job that keeps its place": async (fixture) => {
    await declare(fixture, { order: places(1) });
    await fixture.startOne(held());
    const first = await takeOne(fixture);
    await change(fixture, [{ kind: "pause", limit: "order", key: "1", forMs: 5_000 }]);
    await fixture.settled(deferred(first.fence, later));
    fixture.advance(1_000);
    equal("not yet", await take(fixture), []);
    fixture.advance(4_000);
    equal("the same job", (await takeOne(fixture)).id, first.id);
  },

  "a job that does not hold gives its place back for the time of the pause": async (fixture) => {
    await declare(fixture, { order: rate(5, 10), tenant: places(1) });
    await fixture.start(times(2, () => under({ tenant: "acme" })));
    const first = await takeOne(fixture);
    await fixture.settled(deferred(first.fence, later));
    const second = await takeOne(fixture);
    fixture.advance(1_000);
    equal("the first waits for the place", await take(fixture), []);
    await complete(fixture, second);
    equal("and gets it", (await takeOne(fixture)).id, first.id);
  },
});
