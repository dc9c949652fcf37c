import type { Consequences } from "chainwright/adapter";
import { equal, holds, match, sameMembers } from "../check.ts";
import { blockedBy, completed, failed, job } from "./build.ts";
import { rules } from "./group.ts";
import { counts, statuses } from "./listing.ts";
import { carryOn, many, step, toldBy, waitingFor } from "./releasing.ts";
import { accepted, refused, taken } from "./stage.ts";
import type { Stage } from "./stage.ts";

/** A chain that many jobs wait for, and that has just completed: some of them are released, the others are not. */
async function arrange(stage: Stage, starts = (gate: string) => waitingFor(gate, many)) {
  const gate = await stage.startOne(job("x"));
  const waiting = await stage.start(starts(gate.id));
  const ids = waiting.map(({ id }) => id);
  const ended = await stage.settled(completed({ chainId: gate.id, typeName: "x" }));
  const first = new Set(toldBy([ended]).unblocked);
  return { gate, ids, ended, left: ids.filter((id) => !first.has(id)) };
}

export const releaseCases = rules("release", {
  "the end of a chain that many jobs wait for releases some of them, and later exchanges the others, each once": async (
    stage,
  ) => {
    const { ids, ended, left } = await arrange(stage);
    match("more is to come", ended, { releasing: true });
    holds("some at once", left.length > 0 && left.length < many, left.length);
    equal("the others are blocked", await counts(stage), {
      "x completed": 1,
      "a ready": many - left.length,
      "a blocked": left.length,
    });
    match("as they were", await stage.job(left.at(-1) ?? ""), { status: "blocked", blockersLeft: 1 });
    const { released } = await step(stage);
    holds("one step is bounded, too", released.releasing && released.unblocked.length < left.length, released);
    sameMembers("each once", (await carryOn(stage, [ended, released])).unblocked, ids);
    equal("all ready", await counts(stage), { "x completed": 1, "a ready": many });
    match("nothing is left", (await step(stage)).released, { unblocked: [], releasing: false });
  },

  "an exchange that claims carries on, and takes what it releases": async (stage) => {
    const { ids } = await arrange(stage);
    const claimed: string[] = [];
    for (let reply = await stage.look(["a"], { limit: many }); reply.claimed.length > 0;) {
      claimed.push(...reply.claimed.map(({ id }) => id));
      reply = await stage.look(["a"], { limit: many });
    }
    sameMembers("all run", claimed, ids);
  },

  "a claim of other types carries on as well": async (stage) => {
    const { ids, ended } = await arrange(stage);
    const replies: Consequences[] = [ended];
    for (let turn = 0; turn < 10; turn += 1) replies.push((await stage.look(["other"])).released);
    sameMembers("each once", toldBy(replies).unblocked, ids);
  },

  "a job that is linked after the end is not counted down": async (stage) => {
    const { gate, ids, ended } = await arrange(stage);
    const other = await stage.startOne(job("y"));
    const late = await stage.start(
      Array.from({ length: 40 }, () => job("b", { blockers: [blockedBy(gate.id), blockedBy(other.id)] })),
    );
    sameMembers("only those that waited", (await carryOn(stage, [ended])).unblocked, ids);
    equal("the late ones wait for the other chain", (await counts(stage))["b blocked"], late.length);
    match("which is one", await stage.job(late[0]?.id ?? ""), { status: "blocked", blockersLeft: 1 });
    const { unblocked } = await stage.settled(completed({ chainId: other.id, typeName: "y" }));
    equal("all with its end", unblocked.length, late.length);
  },

  "jobs that wait for two such chains become ready once, after both": async (stage) => {
    const [left, right] = await stage.start([job("x"), job("x")]);
    const gates = [left?.id ?? "", right?.id ?? ""];
    const waiting = await stage.start(
      Array.from({ length: many }, () => job("a", { blockers: gates.map((id) => blockedBy(id)) })),
    );
    const [first, second] = gates.map((chainId) => completed({ chainId, typeName: "x" }));
    if (first === undefined || second === undefined) throw new Error("there are two");
    const one = await stage.settled(first);
    equal("none after one", toldBy([one, (await step(stage)).released]).unblocked, []);
    const two = await stage.settled(second);
    sameMembers(
      "each once",
      (await carryOn(stage, [two])).unblocked,
      waiting.map(({ id }) => id),
    );
  },

  "the ends of one batch share its bound": async (stage) => {
    const gates = await stage.start([job("x"), job("x"), job("x")]);
    const waiting = await stage.start(gates.flatMap(({ id }) => waitingFor(id, many / 3)));
    const held = await stage.claim(["x"]);
    const replies = await stage.store.settle(
      held.map(({ fence }) => completed(fence)),
      stage.options(),
    );
    const ends = replies.map((reply) => taken("settled", reply));
    holds("not all at once", toldBy(ends).unblocked.length < many, ends.length);
    holds(
      "which they say",
      ends.some(({ releasing }) => releasing),
      ends.length,
    );
    sameMembers(
      "each once",
      (await carryOn(stage, ends)).unblocked,
      waiting.map(({ id }) => id),
    );
  },

  "jobs that list the chain twice are counted down once": async (stage) => {
    const other = await stage.startOne(job("y"));
    const { ids } = await arrange(stage, (gate) =>
      Array.from({ length: many }, () => job("a", { blockers: [gate, other.id, gate].map((id) => blockedBy(id)) })),
    );
    equal("none is ready", (await carryOn(stage)).unblocked, []);
    match("one is left", await stage.job(ids.at(-1) ?? ""), { status: "blocked", blockersLeft: 1 });
  },

  "jobs that were scheduled are scheduled again": async (stage) => {
    const schedule = { at: stage.now() + 5_000 };
    const { ids, ended } = await arrange(stage, (gate) => waitingFor(gate, many, { schedule }));
    sameMembers("each once", (await carryOn(stage, [ended])).unblocked, ids);
    equal("all of them", (await counts(stage))["a scheduled"], many);
  },

  "a dependent may be cancelled, deleted and completed before its release": async (stage) => {
    const { ids, ended, left } = await arrange(stage);
    const [cancelledId, deletedId, completedId, ...others] = left.toReversed();
    accepted(
      "cancelled",
      await stage.store.cancel([{ chainId: cancelledId ?? "", reason: undefined }], stage.options()),
    );
    accepted("deleted", await stage.store.remove({ chainIds: [deletedId ?? ""], cascade: false }, stage.options()));
    await stage.settled(completed({ chainId: completedId ?? "", typeName: "a" }));
    const gone = new Set([cancelledId, deletedId, completedId]);
    sameMembers(
      "the others, each once",
      (await carryOn(stage, [ended])).unblocked,
      ids.filter((id) => !gone.has(id)),
    );
    equal("they stay as they are", await statuses(stage, [cancelledId ?? "", completedId ?? "", others[0] ?? ""]), [
      "cancelled",
      "completed",
      "active",
    ]);
  },

  "a dependent that failed and is blocked again before its release is not counted down for it": async (stage) => {
    const [bad, other] = await stage.start([job("y"), job("z")]);
    const both = [bad?.id ?? "", other?.id ?? ""];
    const { ids } = await arrange(stage, (gate) =>
      Array.from({ length: many }, (_, index) =>
        job("a", { blockers: [gate, ...(index % 30 === 0 ? both : [])].map((id) => blockedBy(id)) }),
      ),
    );
    const few = ids.filter((_, index) => index % 30 === 0);
    const broken = await stage.settled(failed({ chainId: both[0] ?? "", typeName: "y" }));
    sameMembers("they fail", toldBy([broken]).failed, few);
    const item = { chainId: both[0] ?? "", input: undefined, typeName: undefined };
    accepted("retried", await stage.store.retry([item], stage.options()));
    await carryOn(stage);
    const records = await stage.store.getJobs(few, stage.options());
    equal(
      "two blockers are left",
      records.map((record) => record?.blockersLeft),
      few.map(() => 2),
    );
    await stage.settled(completed({ chainId: both[0] ?? "", typeName: "y" }));
    const last = await stage.settled(completed({ chainId: both[1] ?? "", typeName: "z" }));
    sameMembers("ready after both", toldBy([last]).unblocked, few);
  },

  "the ended chain cannot be deleted before its release, but with all that wait for it": async (stage) => {
    const { gate } = await arrange(stage);
    const remove = (cascade: boolean) => stage.store.remove({ chainIds: [gate.id], cascade }, stage.options());
    match("refused", refused("referenced", await remove(false)), { code: "chain-referenced", id: gate.id });
    equal("all", accepted("with them", await remove(true)).length, many + 1);
    equal("nothing is left", await carryOn(stage), { unblocked: [], failed: [] });
    equal("nothing at all", await counts(stage), {});
  },

  "retention keeps an ended chain whose release is under way": async (stage) => {
    const { gate, ids, ended } = await arrange(stage);
    stage.advance(1_000_000);
    await stage.store.maintain({ completedMs: 1, failedMs: 1, limit: 100 }, stage.options());
    match("there", await stage.chain(gate.id), { status: "completed" });
    sameMembers("each once", (await carryOn(stage, [ended])).unblocked, ids);
  },

  "two processes carry on the same release, and release each job once": async (stage) => {
    const other = await stage.connect();
    const { ids, ended } = await arrange(stage);
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        (index % 2 === 0 ? stage : other).insist(() => step(index % 2 === 0 ? stage : other)),
      ),
    );
    sameMembers(
      "each once",
      (await carryOn(stage, [ended, ...replies.map(({ released }) => released)])).unblocked,
      ids,
    );
    equal("all ready", (await counts(stage))["a ready"], many);
  },

  "a step that is rolled back has released nothing, and is made again": async (stage) => {
    const { ids, ended, left } = await arrange(stage);
    const undo = new Error("undo");
    await stage
      .transact(async (tx) => {
        await step(stage, tx);
        throw undo;
      })
      .catch((error: unknown) => {
        if (error !== undo) throw error;
      });
    equal("as before", (await counts(stage))["a blocked"], left.length);
    sameMembers("each once", (await carryOn(stage, [ended])).unblocked, ids);
  },

  "an end that is rolled back leaves nothing to release": async (stage) => {
    const gate = await stage.startOne(job("x"));
    await stage.start(waitingFor(gate.id, many));
    const undo = new Error("undo");
    await stage
      .transact(async (tx) => {
        await stage.settled(completed({ chainId: gate.id, typeName: "x" }), tx);
        throw undo;
      })
      .catch((error: unknown) => {
        if (error !== undo) throw error;
      });
    equal("nothing", await carryOn(stage), { unblocked: [], failed: [] });
    equal("all wait", (await counts(stage))["a blocked"], many);
  },
});
