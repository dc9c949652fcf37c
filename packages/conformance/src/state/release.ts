import type { Consequences } from "chainwright/adapter";
import { equal, holds, match, sameMembers } from "../check.ts";
import { blockedBy, completed, failed, job } from "./build.ts";
import { rules } from "./group.ts";
import { counts, statuses } from "./listing.ts";
import { carryOn, many, releasedBy, step, waitingFor } from "./releasing.ts";
import { accepted, refused, taken } from "./fixture.ts";
import type { StateFixture } from "./fixture.ts";

/** A chain that many jobs wait for, and that has just completed: some of them are released, the others are not. */
async function arrange(fixture: StateFixture, starts = (gate: string) => waitingFor(gate, many)) {
  const gate = await fixture.startOne(job("x"));
  const waiting = await fixture.start(starts(gate.id));
  const ids = waiting.map(({ id }) => id);
  const ended = await fixture.settled(completed({ chainId: gate.id, typeName: "x" }));
  const first = new Set(releasedBy([ended]).unblocked);
  return { gate, ids, ended, left: ids.filter((id) => !first.has(id)) };
}

export const releaseCases = rules("release", {
  "the end of a chain that many jobs wait for releases some of them, and later exchanges the others, each once": async (
    fixture,
  ) => {
    const { ids, ended, left } = await arrange(fixture);
    match("more is to come", ended, { releasing: true });
    holds("some at once", left.length > 0 && left.length < many, left.length);
    equal("the others are blocked", await counts(fixture), {
      "x completed": 1,
      "a ready": many - left.length,
      "a blocked": left.length,
    });
    match("as they were", await fixture.job(left.at(-1) ?? ""), { status: "blocked", blockersLeft: 1 });
    const { released } = await step(fixture);
    holds("one step is bounded, too", released.releasing && released.unblocked.length < left.length, released);
    sameMembers("each once", (await carryOn(fixture, [ended, released])).unblocked, ids);
    equal("all ready", await counts(fixture), { "x completed": 1, "a ready": many });
    match("nothing is left", (await step(fixture)).released, { unblocked: [], releasing: false });
  },

  "an exchange that claims continues the release, and claims what it releases": async (fixture) => {
    const { ids } = await arrange(fixture);
    const claimed: string[] = [];
    for (let reply = await fixture.look(["a"], { limit: many }); reply.claimed.length > 0;) {
      claimed.push(...reply.claimed.map(({ id }) => id));
      reply = await fixture.look(["a"], { limit: many });
    }
    sameMembers("all run", claimed, ids);
  },

  "a claim of other types continues the release as well": async (fixture) => {
    const { ids, ended } = await arrange(fixture);
    const replies: Consequences[] = [ended];
    for (let turn = 0; turn < 10; turn += 1) replies.push((await fixture.look(["other"])).released);
    sameMembers("each once", releasedBy(replies).unblocked, ids);
  },

  "a job that is linked after the end is not counted down": async (fixture) => {
    const { gate, ids, ended } = await arrange(fixture);
    const other = await fixture.startOne(job("y"));
    const late = await fixture.start(
      Array.from({ length: 40 }, () => job("b", { blockers: [blockedBy(gate.id), blockedBy(other.id)] })),
    );
    sameMembers("only those that waited", (await carryOn(fixture, [ended])).unblocked, ids);
    equal("the late ones wait for the other chain", (await counts(fixture))["b blocked"], late.length);
    match("which is one", await fixture.job(late[0]?.id ?? ""), { status: "blocked", blockersLeft: 1 });
    const { unblocked } = await fixture.settled(completed({ chainId: other.id, typeName: "y" }));
    equal("all with its end", unblocked.length, late.length);
  },

  "jobs that wait for two such chains become ready once, after both": async (fixture) => {
    const [left, right] = await fixture.start([job("x"), job("x")]);
    const gates = [left?.id ?? "", right?.id ?? ""];
    const waiting = await fixture.start(
      Array.from({ length: many }, () => job("a", { blockers: gates.map((id) => blockedBy(id)) })),
    );
    const [first, second] = gates.map((chainId) => completed({ chainId, typeName: "x" }));
    if (first === undefined || second === undefined) throw new Error("there are two");
    const one = await fixture.settled(first);
    equal("none after one", releasedBy([one, (await step(fixture)).released]).unblocked, []);
    const two = await fixture.settled(second);
    sameMembers(
      "each once",
      (await carryOn(fixture, [two])).unblocked,
      waiting.map(({ id }) => id),
    );
  },

  "the ends of one batch share its bound": async (fixture) => {
    const gates = await fixture.start([job("x"), job("x"), job("x")]);
    const waiting = await fixture.start(gates.flatMap(({ id }) => waitingFor(id, many / 3)));
    const held = await fixture.claim(["x"]);
    const replies = await fixture.store.settle(
      held.map(({ fence }) => completed(fence)),
      fixture.options(),
    );
    const ends = replies.map((reply) => taken("settled", reply));
    holds("not all at once", releasedBy(ends).unblocked.length < many, ends.length);
    holds(
      "the replies report it",
      ends.some(({ releasing }) => releasing),
      ends.length,
    );
    sameMembers(
      "each once",
      (await carryOn(fixture, ends)).unblocked,
      waiting.map(({ id }) => id),
    );
  },

  "jobs that list the chain twice are counted down once": async (fixture) => {
    const other = await fixture.startOne(job("y"));
    const { ids } = await arrange(fixture, (gate) =>
      Array.from({ length: many }, () => job("a", { blockers: [gate, other.id, gate].map((id) => blockedBy(id)) })),
    );
    equal("none is ready", (await carryOn(fixture)).unblocked, []);
    match("one is left", await fixture.job(ids.at(-1) ?? ""), { status: "blocked", blockersLeft: 1 });
  },

  "jobs that were scheduled are scheduled again": async (fixture) => {
    const schedule = { at: fixture.now() + 5_000 };
    const { ids, ended } = await arrange(fixture, (gate) => waitingFor(gate, many, { schedule }));
    sameMembers("each once", (await carryOn(fixture, [ended])).unblocked, ids);
    equal("all of them", (await counts(fixture))["a scheduled"], many);
  },

  "a dependent may be cancelled, deleted and completed before its release": async (fixture) => {
    const { ids, ended, left } = await arrange(fixture);
    const [cancelledId, deletedId, completedId, ...others] = left.toReversed();
    accepted(
      "cancelled",
      await fixture.store.cancel([{ chainId: cancelledId ?? "", reason: undefined }], fixture.options()),
    );
    accepted("deleted", await fixture.store.remove({ chainIds: [deletedId ?? ""], cascade: false }, fixture.options()));
    await fixture.settled(completed({ chainId: completedId ?? "", typeName: "a" }));
    const gone = new Set([cancelledId, deletedId, completedId]);
    sameMembers(
      "the others, each once",
      (await carryOn(fixture, [ended])).unblocked,
      ids.filter((id) => !gone.has(id)),
    );
    equal("they stay as they are", await statuses(fixture, [cancelledId ?? "", completedId ?? "", others[0] ?? ""]), [
      "cancelled",
      "completed",
      "active",
    ]);
  },

  "a dependent that failed and is blocked again before its release is not counted down for it": async (fixture) => {
    const [bad, other] = await fixture.start([job("y"), job("z")]);
    const both = [bad?.id ?? "", other?.id ?? ""];
    const { ids } = await arrange(fixture, (gate) =>
      Array.from({ length: many }, (_, index) =>
        job("a", { blockers: [gate, ...(index % 30 === 0 ? both : [])].map((id) => blockedBy(id)) }),
      ),
    );
    const few = ids.filter((_, index) => index % 30 === 0);
    const broken = await fixture.settled(failed({ chainId: both[0] ?? "", typeName: "y" }));
    sameMembers("they fail", releasedBy([broken]).failed, few);
    const item = { chainId: both[0] ?? "", input: undefined, typeName: undefined };
    accepted("retried", await fixture.store.retry([item], fixture.options()));
    await carryOn(fixture);
    const records = await fixture.store.getJobs(few, fixture.options());
    equal(
      "two blockers are left",
      records.map((record) => record?.blockersLeft),
      few.map(() => 2),
    );
    await fixture.settled(completed({ chainId: both[0] ?? "", typeName: "y" }));
    const last = await fixture.settled(completed({ chainId: both[1] ?? "", typeName: "z" }));
    sameMembers("ready after both", releasedBy([last]).unblocked, few);
  },

  "the ended chain cannot be deleted before its release, except together with all chains that wait for it": async (
    fixture,
  ) => {
    const { gate } = await arrange(fixture);
    const remove = (cascade: boolean) => fixture.store.remove({ chainIds: [gate.id], cascade }, fixture.options());
    match("refused", refused("referenced", await remove(false)), { code: "chain-referenced", id: gate.id });
    equal("all", accepted("with them", await remove(true)).length, many + 1);
    equal("nothing is left", await carryOn(fixture), { unblocked: [], failed: [] });
    equal("nothing at all", await counts(fixture), {});
  },

  "retention keeps an ended chain whose release is under way": async (fixture) => {
    const { gate, ids, ended } = await arrange(fixture);
    fixture.advance(1_000_000);
    await fixture.store.maintain({ completedMs: 1, failedMs: 1, limit: 100 }, fixture.options());
    match("there", await fixture.chain(gate.id), { status: "completed" });
    sameMembers("each once", (await carryOn(fixture, [ended])).unblocked, ids);
  },

  "two processes that continue the same release release each job once": async (fixture) => {
    const other = await fixture.connect();
    const { ids, ended } = await arrange(fixture);
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        (index % 2 === 0 ? fixture : other).insist(() => step(index % 2 === 0 ? fixture : other)),
      ),
    );
    sameMembers(
      "each once",
      (await carryOn(fixture, [ended, ...replies.map(({ released }) => released)])).unblocked,
      ids,
    );
    equal("all ready", (await counts(fixture))["a ready"], many);
  },

  "a step of the release that is rolled back releases nothing, and is repeated": async (fixture) => {
    const { ids, ended, left } = await arrange(fixture);
    const undo = new Error("undo");
    await fixture
      .transact(async (tx) => {
        await step(fixture, tx);
        throw undo;
      })
      .catch((error: unknown) => {
        if (error !== undo) throw error;
      });
    equal("as before", (await counts(fixture))["a blocked"], left.length);
    sameMembers("each once", (await carryOn(fixture, [ended])).unblocked, ids);
  },

  "an end that is rolled back leaves nothing to release": async (fixture) => {
    const gate = await fixture.startOne(job("x"));
    await fixture.start(waitingFor(gate.id, many));
    const undo = new Error("undo");
    await fixture
      .transact(async (tx) => {
        await fixture.settled(completed({ chainId: gate.id, typeName: "x" }), tx);
        throw undo;
      })
      .catch((error: unknown) => {
        if (error !== undo) throw error;
      });
    equal("nothing", await carryOn(fixture), { unblocked: [], failed: [] });
    equal("all wait", (await counts(fixture))["a blocked"], many);
  },
});
