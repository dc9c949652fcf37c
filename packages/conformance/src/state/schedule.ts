import { equal, match, only } from "../check.ts";
import { blockedBy, completed, deferred, job } from "./build.ts";
import { rules } from "./group.ts";

const day = 86_400_000;
/** The last moment that a JavaScript Date can name. */
const endOfTime = 8_640_000_000_000_000;

export const scheduleCases = rules("schedule", {
  "a job due later is scheduled, and is not claimed before": async (fixture) => {
    const chain = await fixture.startOne(job("a", { schedule: { afterMs: 1_000 } }));
    match("the job in the reply", only("one job", chain.jobs), { status: "scheduled", dueInMs: 1_000 });
    match("the job", await fixture.job(chain.id), { status: "scheduled", scheduledAt: fixture.now() + 1_000 });
    fixture.advance(999);
    equal("not before", await fixture.claim(["a"]), []);
    fixture.advance(1);
    match("at its time", await fixture.claimOne("a"), { id: chain.id, waitedMs: 0 });
  },

  "a job can be scheduled by a moment instead of a delay": async (fixture) => {
    const chain = await fixture.startOne(job("a", { schedule: { at: fixture.now() + 250 } }));
    match("the job in the reply", only("one job", chain.jobs), { status: "scheduled", dueInMs: 250 });
    fixture.advance(250);
    match("due", await fixture.claimOne("a"), { id: chain.id });
  },

  "a moment that has passed, this very moment and no delay are ready at once": async (fixture) => {
    const schedules = [{ at: fixture.now() - 5_000 }, { at: 0 }, { at: -1 }, { at: fixture.now() }, { afterMs: 0 }];
    for (const schedule of schedules) {
      const chain = await fixture.startOne(job("a", { schedule }));
      match("the job in the reply", only("one job", chain.jobs), { status: "ready", dueInMs: undefined });
      match("the job", await fixture.job(chain.id), { status: "ready", scheduledAt: undefined });
      match("claimed", await fixture.claimOne("a"), { id: chain.id });
    }
  },

  "delays can be from one millisecond to the last date of JavaScript": async (fixture) => {
    const delays = [
      1,
      2 ** 31 - 1,
      2 ** 31,
      2 ** 32 + 1,
      90 * day,
      3_650 * day,
      36_500 * day,
      endOfTime - fixture.now(),
    ];
    for (const afterMs of delays) {
      const chain = await fixture.startOne(job("a", { schedule: { afterMs } }));
      match("the job in the reply", only("one job", chain.jobs), { status: "scheduled", dueInMs: afterMs });
      match("the job", await fixture.job(chain.id), { status: "scheduled", scheduledAt: fixture.now() + afterMs });
    }
    equal("the first is next", (await fixture.look(["a"])).nextDueInMs, 1);
    for (const [index, delay] of delays.entries()) {
      fixture.advance(delay - (delays[index - 1] ?? 0));
      const reply = await fixture.look(["a"], { leaseMs: 10 * 36_500 * day });
      equal("one more is due", reply.claimed.length, 1);
      await fixture.store.exchange(
        {
          outcomes: reply.claimed.map(({ id, fence }) => completed({ jobId: id, workerId: "worker-1", fence })),
          claim: undefined,
        },
        fixture.options(),
      );
    }
  },

  "a scheduled job is reported as ready once its time has passed, even while no worker claims": async (fixture) => {
    const chain = await fixture.startOne(job("a", { schedule: { afterMs: 1_000 } }));
    fixture.advance(1_000);
    match("the job", await fixture.job(chain.id), { status: "ready" });
  },

  "the waiting time of a scheduled job begins when it is due": async (fixture) => {
    await fixture.startOne(job("a", { schedule: { afterMs: 1_000 } }));
    fixture.advance(1_400);
    equal("waited", (await fixture.claimOne("a")).waitedMs, 400);
  },

  "a scheduled job keeps the place that it got when it was written": async (fixture) => {
    const [scheduled, ready] = await fixture.start([job("a", { schedule: { afterMs: 10 } }), job("a")]);
    fixture.advance(10);
    equal(
      "order",
      (await fixture.claim(["a"])).map(({ id }) => id),
      [scheduled?.id, ready?.id],
    );
  },

  "due jobs of higher priority come before ready ones of lower": async (fixture) => {
    const [low, high] = await fixture.start([job("a"), job("a", { schedule: { afterMs: 10 }, priority: 1 })]);
    fixture.advance(10);
    equal(
      "order",
      (await fixture.claim(["a"])).map(({ id }) => id),
      [high?.id, low?.id],
    );
  },

  "any number of jobs can fall due at once, and none is lost beyond the limit": async (fixture) => {
    const chains = await fixture.start(Array.from({ length: 300 }, () => job("a", { schedule: { afterMs: 10 } })));
    fixture.advance(10);
    const claimed: string[] = [];
    for (let round = 0; round < 6; round += 1) {
      claimed.push(...(await fixture.claim(["a"], { limit: 50 })).map(({ id }) => id));
    }
    equal(
      "all, in order",
      claimed,
      chains.map(({ id }) => id),
    );
  },

  "a claim that is not filled returns when the next scheduled job of its types is due": async (fixture) => {
    await fixture.start([
      job("a", { schedule: { afterMs: 700 } }),
      job("b", { schedule: { afterMs: 300 } }),
      job("c", { schedule: { afterMs: 100 } }),
    ]);
    equal("of a", (await fixture.look(["a"])).nextDueInMs, 700);
    equal("of a and b", (await fixture.look(["a", "b"])).nextDueInMs, 300);
    equal("of d", (await fixture.look(["d"])).nextDueInMs, undefined);
    fixture.advance(250);
    equal("later", (await fixture.look(["b"])).nextDueInMs, 50);
  },

  "a claim that is not filled returns when the next lease of its types runs out": async (fixture) => {
    await fixture.start([job("a"), job("b"), job("a", { schedule: { afterMs: 900 } })]);
    await fixture.claim(["a"], { workerId: "w-1", leaseMs: 500 });
    await fixture.claim(["b"], { workerId: "w-1", leaseMs: 200 });
    fixture.advance(100);
    equal("of a", (await fixture.look(["a"], { workerId: "w-2" })).nextDueInMs, 400);
    equal("of both", (await fixture.look(["a", "b"], { workerId: "w-2" })).nextDueInMs, 100);
    equal("of c", (await fixture.look(["c"], { workerId: "w-2" })).nextDueInMs, undefined);
  },

  "a filled claim, and an exchange without a claim, return no next due time": async (fixture) => {
    await fixture.start([job("a"), job("a", { schedule: { afterMs: 10 } })]);
    equal("filled", (await fixture.look(["a"], { limit: 1 })).nextDueInMs, undefined);
    const reply = await fixture.store.exchange({ outcomes: [], claim: undefined }, fixture.options());
    equal("no claim", reply.nextDueInMs, undefined);
  },

  "a claim returns no next due time when no job is scheduled or leased": async (fixture) => {
    await fixture.startOne(job("a", { blockers: [blockedBy((await fixture.startOne(job("x"))).id)] }));
    equal("blocked is not due", (await fixture.look(["a"])).nextDueInMs, undefined);
  },

  "a deferred attempt waits until its time, its attempt counted": async (fixture) => {
    const chain = await fixture.startOne(job("a"));
    const { fence } = await fixture.claimOne("a");
    await fixture.settled(deferred(fence, { schedule: { afterMs: 400 } }));
    match("the job", await fixture.job(chain.id), {
      status: "scheduled",
      attempt: 1,
      scheduledAt: fixture.now() + 400,
      leasedBy: undefined,
      leasedUntil: undefined,
      endedAt: undefined,
    });
    equal("the reply", (await fixture.look(["a"])).nextDueInMs, 400);
    fixture.advance(400);
    match("the second attempt", await fixture.claimOne("a"), { attempt: 2, waitedMs: 0 });
  },

  "a deferred attempt that does not count has the same number again": async (fixture) => {
    const chain = await fixture.startOne(job("a"));
    const { fence } = await fixture.claimOne("a");
    await fixture.settled(deferred(fence, { counted: false }));
    match("the job", await fixture.job(chain.id), { status: "ready", attempt: 0, leasedBy: undefined });
    match("again the first", await fixture.claimOne("a"), { attempt: 1 });
  },

  "a deferred attempt can be settled in the exchange that claims it again": async (fixture) => {
    const chain = await fixture.startOne(job("a"));
    const { fence } = await fixture.claimOne("a");
    const reply = await fixture.store.exchange(
      {
        outcomes: [deferred(fence)],
        claim: { workerId: "w-2", types: [{ typeName: "a", leaseMs: 1_000 }], limit: 1 },
      },
      fixture.options(),
    );
    match("claimed", only("one", reply.claimed), { id: chain.id, attempt: 2, waitedMs: 0 });
  },

  "stored errors stay unless the deferral replaces them": async (fixture) => {
    const chain = await fixture.startOne(job("a"));
    await fixture.settled(deferred((await fixture.claimOne("a")).fence, { errors: "[1]" }));
    await fixture.settled(deferred((await fixture.claimOne("a")).fence));
    equal("kept", (await fixture.job(chain.id)).errors, "[1]");
    await fixture.settled(deferred((await fixture.claimOne("a")).fence, { errors: "[1,2]" }));
    equal("replaced", (await fixture.job(chain.id)).errors, "[1,2]");
    await fixture.settled(completed((await fixture.claimOne("a")).fence));
    match("kept when it completes", await fixture.job(chain.id), { status: "completed", errors: "[1,2]" });
  },
});
