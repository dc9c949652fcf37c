import { equal, match } from "../../check.ts";
import { completed, continued, errorsText, failed, job } from "../build.ts";
import { rules } from "../group.ts";
import type { StateFixture } from "../fixture.ts";
import { accepted } from "../fixture.ts";
import { countsAgree } from "../listing.ts";
import { cancelOne, followUpsOf, handIn, record, statusesOf, step, stops, trip, undo, undone } from "./sagas.ts";

/** A chain whose first two steps are done, with the third one open. */
async function twoSteps(fixture: StateFixture): Promise<string> {
  const { id } = await fixture.startOne(trip());
  await step(fixture, "one", "two");
  await step(fixture, "two", "last");
  return id;
}

const stopCases = Object.fromEntries(
  Object.entries(stops).map(([how, stop]) => [
    `N1, N2: its compensations run once, the last step first, then \`whenStopped\`, when ${how}`,
    async (fixture: StateFixture) => {
      const id = await twoSteps(fixture);
      await stop(fixture, id);
      equal("only the first one is ready", await statusesOf(fixture, id), ["ready", "blocked", "blocked"]);
      equal("in this order", await undone(fixture), ["two", "one", "apologise"]);
      equal("all have completed", await statusesOf(fixture, id), ["completed", "completed", "completed"]);
      await countsAgree(fixture);
    },
  ]),
);

export const endStopCases = rules("ends", {
  ...stopCases,

  "N1: a chain that fails because of a blocker runs its compensations": async (fixture) => {
    const { id } = await fixture.startOne(trip());
    const waiting = job("last", { blockers: [{ start: job("child") }] });
    const { fence } = await fixture.claimOne("one");
    await fixture.settled({ target: fence, kind: "continued", next: waiting, compensation: undo("one") });
    const { followUps = [] } = await fixture.settled(failed((await fixture.claimOne("child")).fence));
    equal(
      "the reply names them",
      followUps.map(({ typeName, status }) => [typeName, status]),
      [
        ["undo", "ready"],
        ["apologise", "blocked"],
      ],
    );
    match("the chain", await fixture.chain(id), { status: "failed" });
    equal("they run", await undone(fixture), ["one", "apologise"]);
  },

  "N1: a chain whose blocker had failed before runs its `whenStopped`": async (fixture) => {
    const broken = await fixture.startOne(job("child"));
    await fixture.settled(failed({ chainId: broken.id, typeName: "child" }));
    const start = trip("one", { blockers: [{ chainId: broken.id, typeName: undefined }] });
    const { jobs } = await fixture.startOne(start);
    equal(
      "the reply names it",
      jobs.map(({ typeName, status }) => [typeName, status]),
      [
        ["one", "failed"],
        ["apologise", "ready"],
      ],
    );
    equal("it runs", await undone(fixture), ["apologise"]);
  },

  "N1: a step that continues with a failed blocker is undone itself": async (fixture) => {
    const broken = await fixture.startOne(job("child"));
    await fixture.settled(failed({ chainId: broken.id, typeName: "child" }));
    await fixture.startOne(job("one"));
    const { fence } = await fixture.claimOne("one");
    const next = job("two", { blockers: [{ chainId: broken.id, typeName: undefined }] });
    await fixture.settled({ target: fence, kind: "continued", next, compensation: undo("one") });
    equal("it is undone", await undone(fixture), ["one"]);
  },

  "N1: what an attempt recorded before its effect is undone, whichever way the attempt ends": async (fixture) => {
    const { id } = await fixture.startOne(job("one"));
    const first = await fixture.claimOne("one", { leaseMs: 10 });
    equal("recorded", await record(fixture, first, undo("first")), "recorded");
    fixture.advance(10);
    const second = await fixture.claimOne("one");
    equal("the first attempt has lost its job", await record(fixture, first, undo("late")), "lease-lost");
    await fixture.settled(failed(second.fence));
    equal("undone", await undone(fixture), ["first"]);
    match("the chain", await fixture.chain(id), { status: "failed" });
  },

  "N1: what a step records later replaces what it recorded before": async (fixture) => {
    const { id } = await fixture.startOne(job("one"));
    const held = await fixture.claimOne("one");
    await record(fixture, held, undo("first"));
    await record(fixture, held, undo("second"));
    await fixture.settled({ target: held.fence, kind: "continued", next: job("two"), compensation: undo("third") });
    await cancelOne(fixture, id);
    equal("undone", await undone(fixture), ["third"]);
  },

  "N1: an attempt whose chain was cancelled records nothing any more": async (fixture) => {
    const { id } = await fixture.startOne(job("one"));
    const held = await fixture.claimOne("one");
    await cancelOne(fixture, id);
    equal("refused", await record(fixture, held, undo("late")), "cancelled");
    equal("nothing follows", await followUpsOf(fixture, id), []);
  },

  "N1: a compensation in a transaction that rolls back is not recorded": async (fixture) => {
    const { id } = await fixture.startOne(job("one"));
    const held = await fixture.claimOne("one");
    await fixture.store
      .transaction(async (tx) => {
        await fixture.store.compensate([{ target: held.fence, compensation: undo("one") }], fixture.options(tx));
        throw new Error("rolled back");
      })
      .catch(() => undefined);
    await cancelOne(fixture, id);
    equal("nothing follows", await followUpsOf(fixture, id), []);
  },

  "N2: a compensation that fails stays failed, and stops the ones behind it until it is retried": async (fixture) => {
    const id = await twoSteps(fixture);
    await cancelOne(fixture, id);
    await fixture.settled(failed((await fixture.claimOne("undo")).fence));
    equal("it holds the others", await statusesOf(fixture, id), ["failed", "blocked", "blocked"]);
    const [{ chainId } = { chainId: "" }] = await followUpsOf(fixture, id);
    const items = [{ chainId, input: undefined, typeName: undefined }];
    accepted("retried", await fixture.store.retry(items, fixture.options()));
    equal("then they run", await undone(fixture), ["two", "one", "apologise"]);
  },

  "N2: a compensation has its own `whenStopped`, which runs if it fails": async (fixture) => {
    await fixture.startOne(job("one"));
    const { fence } = await fixture.claimOne("one");
    const compensation = undo("one", { whenStopped: { typeName: "alert", priority: 3 } });
    await fixture.settled({ target: fence, kind: "continued", next: job("two"), compensation });
    await fixture.settled(failed((await fixture.claimOne("two")).fence));
    await fixture.settled(failed((await fixture.claimOne("undo")).fence));
    match("it runs", await fixture.claimOne("alert"), { priority: 3 });
  },

  "N2: follow-ups keep their version, pool, priority, context and input": async (fixture) => {
    const whenStopped = { typeName: "apologise", version: 2, pool: "p", priority: 7, context: "trace" };
    const { id } = await fixture.startOne(job("one", { whenStopped }));
    const { fence } = await fixture.claimOne("one");
    const compensation = undo("one", { version: 3, pool: "q", priority: -4, context: "other", input: '{"a":1.50}' });
    await fixture.settled({ target: fence, kind: "continued", next: job("two"), compensation });
    await cancelOne(fixture, id);
    const first = await fixture.claimOne("undo", { version: 3, pool: "q" });
    match("the compensation", first, { priority: -4, context: "other", input: '{"a":1.50}' });
    await fixture.settled(completed(first.fence));
    match("the last one", await fixture.claimOne("apologise", { version: 2, pool: "p" }), {
      priority: 7,
      context: "trace",
    });
  },

  "the chain that follows a failed one gets its id, its type, its input, where it stopped and why": async (fixture) => {
    const startedAt = fixture.now();
    const { id } = await fixture.startOne(trip("one", { input: '{"n":1.50}' }));
    const next = job("two");
    await fixture.settled(continued((await fixture.claimOne("one")).fence, next));
    fixture.advance(5);
    const errors = errorsText("it broke", 3);
    await fixture.settled(failed((await fixture.claimOne("two")).fence, errors));
    const { input } = await fixture.claimOne("apologise");
    equal("the input is the text of the chain", input.includes('"input":{"n":1.50}'), true);
    equal("the input", JSON.parse(input.replace(/"version":\d+,/, "")), {
      chain: { id, typeName: "one", input: { n: 1.5 }, startedAt },
      status: "failed",
      step: { jobId: next.id, typeName: "two" },
      error: { attempt: 3, at: 0, workerId: "w", name: "Error", message: "it broke" },
    });
  },

  "the chain that follows a cancelled one gets the reason": async (fixture) => {
    const startedAt = fixture.now();
    const { id } = await fixture.startOne(trip("one", { version: 2 }));
    await cancelOne(fixture, id);
    equal("the input", JSON.parse((await fixture.claimOne("apologise")).input), {
      chain: { id, typeName: "one", version: 2, input: {}, startedAt },
      status: "cancelled",
      step: { jobId: id, typeName: "one" },
      reason: "no longer wanted",
    });
  },

  "N3: nothing begins while the attempt of a cancelled chain runs, and all begins when it hands in": async (
    fixture,
  ) => {
    const { id } = await fixture.startOne(trip());
    const held = await fixture.claimOne("one", { leaseMs: 1_000 });
    await record(fixture, held, undo("one"));
    const { followUps = [] } = await cancelOne(fixture, id);
    equal(
      "the reply says when",
      followUps.map(({ status, dueInMs }) => [status, dueInMs]),
      [
        ["scheduled", 1_000],
        ["blocked", undefined],
      ],
    );
    fixture.advance(999);
    equal("nothing begins", await fixture.claim(["undo", "apologise"]), []);
    const ready = (await handIn(fixture, held)) ?? [];
    equal(
      "the reply names what is ready",
      ready.map(({ typeName }) => typeName),
      ["undo"],
    );
    equal("a second time nothing is ready", await handIn(fixture, held), undefined);
    equal("they run", await undone(fixture), ["one", "apologise"]);
  },

  "N3: they begin when the lease of the attempt ends, if it never hands in": async (fixture) => {
    const { id } = await fixture.startOne(trip());
    await fixture.claimOne("one", { leaseMs: 1_000 });
    await cancelOne(fixture, id);
    fixture.advance(999);
    equal("nothing begins", await fixture.claim(["apologise"]), []);
    fixture.advance(1);
    equal("they run", await undone(fixture), ["apologise"]);
  },

  "N3: the outcome of an earlier attempt does not let them begin": async (fixture) => {
    const { id } = await fixture.startOne(trip());
    const lost = await fixture.claimOne("one", { leaseMs: 10, workerId: "w-1" });
    fixture.advance(10);
    await fixture.claimOne("one", { leaseMs: 1_000, workerId: "w-2" });
    await cancelOne(fixture, id);
    equal("nothing is ready", await handIn(fixture, lost), undefined);
    equal("nothing begins", await fixture.claim(["apologise"]), []);
  },

  "N3: a step that is failed from outside waits for its attempt as well": async (fixture) => {
    const { id } = await fixture.startOne(trip());
    const held = await fixture.claimOne("one", { leaseMs: 1_000 });
    await fixture.settled(failed({ chainId: id, typeName: "one" }));
    equal("nothing begins", await fixture.claim(["apologise"]), []);
    equal("one is ready", (await handIn(fixture, held))?.length, 1);
  },

  "N4: a chain that completes starts nothing": async (fixture) => {
    const id = await twoSteps(fixture);
    const held = await fixture.claimOne("last");
    await record(fixture, held, undo("last"));
    await fixture.settled(completed(held.fence));
    match("the chain", await fixture.chain(id), { status: "completed", followUps: undefined });
    equal("nothing runs", await undone(fixture), []);
  },
});
