import type { JobStart } from "chainwright/adapter";
import { equal, match } from "../../check.ts";
import { blockedBy, completed, continued, failed, job } from "../build.ts";
import type { StateFixture } from "../fixture.ts";
import { rules } from "../group.ts";
import { statuses } from "../listing.ts";
import { cancelOne, followUpsOf, record, statusesOf, step, trip, undo, undone } from "./sagas.ts";

/** Completes the job of a type, recording first what undoes it. */
async function done(fixture: StateFixture, typeName: string, name = typeName): Promise<void> {
  const held = await fixture.claimOne(typeName);
  await record(fixture, held, undo(name));
  await fixture.settled(completed(held.fence));
}

function waitsFor(typeName: string, ...children: readonly JobStart[]): JobStart {
  return job(typeName, { blockers: children.map((start) => ({ start })) });
}

export const endBlockerCases = rules("ends", {
  "N8: what completed inline blockers did is undone with the chain that they were started for, once": async (
    fixture,
  ) => {
    const { id } = await fixture.startOne(trip());
    const { fence } = await fixture.claimOne("one");
    const next = waitsFor("two", job("left"), job("right"));
    await fixture.settled({ target: fence, kind: "continued", next, compensation: undo("one") });
    await done(fixture, "left");
    await done(fixture, "right");
    await step(fixture, "two", "last");
    await cancelOne(fixture, id);
    equal("in time order, backwards", await undone(fixture), ["two", "right", "left", "one", "apologise"]);
  },

  "N8: through three levels of inline blockers": async (fixture) => {
    const { id } = await fixture.startOne(waitsFor("top", waitsFor("middle", waitsFor("low", job("lowest")))));
    for (const typeName of ["lowest", "low", "middle"]) await done(fixture, typeName);
    await cancelOne(fixture, id);
    equal("all of them", await undone(fixture), ["middle", "low", "lowest"]);
  },

  "N8: a blocker that fails undoes itself, and the chain that it was started for undoes the others": async (
    fixture,
  ) => {
    const { id } = await fixture.startOne(waitsFor("top", job("left"), job("right")));
    await done(fixture, "left");
    const right = await fixture.claimOne("right");
    await record(fixture, right, undo("right"));
    await fixture.settled(failed(right.fence));
    match("the chain", await fixture.chain(id), { status: "failed" });
    equal("the chain undoes one", (await followUpsOf(fixture, id)).length, 1);
    equal("the blocker the other one", (await followUpsOf(fixture, right.chainId)).length, 1);
    equal("both once", (await undone(fixture)).toSorted(), ["left", "right"]);
  },

  "N8: a blocker that completes after its chain has stopped is undone at once": async (fixture) => {
    const { id } = await fixture.startOne(waitsFor("top", job("left"), job("right")));
    await cancelOne(fixture, id, "leave");
    await done(fixture, "left");
    equal("undone", await undone(fixture), ["left"]);
    equal("the stopped chain shows it", await statusesOf(fixture, id), ["completed"]);
  },

  "N8: a blocker that completes after its chain has completed is not undone": async (fixture) => {
    const { id } = await fixture.startOne(waitsFor("top", job("left")));
    await fixture.settled(completed({ chainId: id, typeName: "top" }));
    await done(fixture, "left");
    equal("nothing runs", await undone(fixture), []);
  },

  "N8: a chain that existed before keeps what undoes it": async (fixture) => {
    const { id } = await fixture.startOne(job("own"));
    const top = await fixture.startOne(job("top", { blockers: [blockedBy(id)] }));
    await done(fixture, "own");
    await cancelOne(fixture, top.id);
    equal("nothing runs", await undone(fixture), []);
  },

  "N8: a chain that a deduplicated start found keeps what undoes it": async (fixture) => {
    const deduplication = { key: "k", scope: "any", windowMs: undefined } as const;
    await fixture.startOne(job("own", { deduplication }));
    const top = await fixture.startOne(waitsFor("top", job("own", { deduplication })));
    await done(fixture, "own");
    await cancelOne(fixture, top.id);
    equal("nothing runs", await undone(fixture), []);
  },

  "N5: a cancelled chain takes the blockers with it that it started, and theirs": async (fixture) => {
    const low = job("low");
    const middle = waitsFor("middle", low);
    const before = await fixture.startOne(job("before"));
    const top = job("top", { blockers: [{ start: middle }, blockedBy(before.id)] });
    await fixture.startOne(top);
    const reply = await cancelOne(fixture, top.id);
    equal(
      "the reply names them",
      reply.blockers?.map(({ chainId }) => chainId).toSorted(),
      [low.id, middle.id].toSorted(),
    );
    equal("nothing failed", reply.failed, []);
    equal("they are cancelled", await statuses(fixture, [top.id, middle.id, low.id, before.id]), [
      "cancelled",
      "cancelled",
      "cancelled",
      "active",
    ]);
    match("with the same reason", await fixture.chain(low.id), { reason: "no longer wanted" });
    equal("none of them begins", await fixture.claim(["low", "middle", "top"]), []);
  },

  "N5: a blocker that another open job waits for goes on, until both are cancelled": async (fixture) => {
    const shared = job("shared");
    const [first] = await fixture.start([waitsFor("top", shared)]);
    const second = await fixture.startOne(job("other", { blockers: [blockedBy(shared.id)] }));
    await cancelOne(fixture, first?.id ?? "");
    equal("it goes on", await statuses(fixture, [shared.id, second.id]), ["active", "active"]);
    await cancelOne(fixture, second.id);
    equal("the other chain did not start it", await statuses(fixture, [shared.id]), ["active"]);
  },

  "N5: of two chains that are cancelled together, a common blocker ends with them": async (fixture) => {
    const shared = job("shared");
    const [first] = await fixture.start([waitsFor("top", shared)]);
    const second = await fixture.startOne(job("other", { blockers: [blockedBy(shared.id)] }));
    const items = [second.id, first?.id ?? ""].map(
      (chainId) => ({ chainId, reason: undefined, blockers: "cancel" }) as const,
    );
    await fixture.store.cancel(items, fixture.options());
    equal("all have ended", await statuses(fixture, [shared.id]), ["cancelled"]);
  },

  "N5: `leave` leaves the blockers alone": async (fixture) => {
    const low = job("low");
    const top = waitsFor("top", low);
    await fixture.startOne(top);
    equal("the reply names none", (await cancelOne(fixture, top.id, "leave")).blockers ?? [], []);
    equal("it goes on", await statuses(fixture, [low.id]), ["active"]);
  },

  "N5: a blocker that was running is undone once its attempt has ended, and its worker is named": async (fixture) => {
    const low = job("low");
    const top = waitsFor("top", low);
    await fixture.startOne(top);
    const held = await fixture.claimOne("low", { workerId: "w-7", leaseMs: 1_000 });
    await fixture.store.compensate([{ target: held.fence, compensation: undo("low") }], fixture.options());
    const { blockers = [] } = await cancelOne(fixture, top.id);
    equal(
      "the reply",
      blockers.map(({ chainId, interrupted }) => [chainId, interrupted]),
      [[low.id, "w-7"]],
    );
    equal("nothing begins", await undone(fixture), []);
    await fixture.settle(completed(held.fence));
    equal("then it does", await undone(fixture), ["low"]);
  },

  "the stop of a blocker that many chains wait for starts the follow-ups of all of them, step by step": async (
    fixture,
  ) => {
    const count = 1_200;
    const { id } = await fixture.startOne(job("child"));
    const starts = Array.from({ length: count }, () => trip("a", { blockers: [blockedBy(id)] }));
    for (let from = 0; from < count; from += 400) await fixture.start(starts.slice(from, from + 400));
    const first = await fixture.settled(failed((await fixture.claimOne("child")).fence));
    let started = first.followUps?.length ?? 0;
    for (let releasing = first.releasing; releasing;) {
      const { released } = await fixture.store.exchange({ outcomes: [], claim: undefined }, fixture.options());
      started += released.followUps?.length ?? 0;
      releasing = released.releasing;
    }
    equal("one each", started, count);
    equal("one each", (await undone(fixture)).length, count);
  },

  "a cancelled chain is returned with what it was started with": async (fixture) => {
    const { id } = await fixture.startOne(job("one", { input: '{"n":1}' }));
    await fixture.settled(continued((await fixture.claimOne("one")).fence, job("two")));
    equal("the entry", (await cancelOne(fixture, id)).entry, { typeName: "one", input: '{"n":1}', version: 1 });
  },
});
