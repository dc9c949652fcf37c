import type { Consequences } from "chainwright/adapter";
import { inTime } from "../behaviour/witness.ts";
import { equal, holds, match, sameMembers } from "../check.ts";
import { blockedBy, completed, failed, job } from "./build.ts";
import { rulesWith } from "./group.ts";
import { holding } from "./holding.ts";
import { statuses } from "./listing.ts";
import { carryOn, many, step, toldBy, waitingFor } from "./releasing.ts";
import { accepted } from "./stage.ts";
import type { Stage } from "./stage.ts";

/** A chain that jobs wait for, one of which somebody cancels in a transaction that stays open. */
async function arrange(stage: Stage, count = 3) {
  const gate = await stage.startOne(job("x"));
  const ids = (await stage.start(waitingFor(gate.id, count))).map(({ id }) => id);
  const [lockedId = "", ...others] = ids;
  const items = [{ chainId: lockedId, reason: undefined }];
  const open = await holding(stage, async (other, tx) => {
    accepted("cancelled", await other.store.cancel(items, other.options(tx)));
  });
  const end = (outcome = completed) =>
    inTime(
      "it ends",
      stage.insist(() => stage.settled(outcome({ chainId: gate.id, typeName: "x" }))),
    );
  return { gate, ids, lockedId, others, open, end };
}

export const releaseLockedCases = rulesWith("release of jobs that another transaction has locked", "rowLocks", {
  "the end of the chain waits for nobody, and releases the others": async (stage) => {
    const { others, end, open } = await arrange(stage);
    const ended = await end();
    sameMembers("the others", toldBy([ended]).unblocked, others);
    match("and says so", ended, { releasing: true });
    await open.commit();
  },

  "the failure of the chain waits for nobody, and fails the others": async (stage) => {
    const { others, end, open } = await arrange(stage);
    const ended = await end(failed);
    sameMembers("the others", toldBy([ended]).failed, others);
    match("and says so", ended, { releasing: true });
    await open.commit();
  },

  "they are released once the lock is gone": async (stage) => {
    const { lockedId, end, open } = await arrange(stage);
    await end();
    const { released, nextDueInMs } = await inTime("a step", step(stage));
    match("not now", released, { unblocked: [], releasing: false });
    holds("but before long", nextDueInMs !== undefined && nextDueInMs > 0, nextDueInMs);
    holds("which a claim says as well", (await stage.look(["other"])).nextDueInMs !== undefined, "nothing is due");
    await open.rollBack();
    equal("it alone", (await carryOn(stage)).unblocked, [lockedId]);
    match("ready", await stage.job(lockedId), { status: "ready", blockersLeft: 0 });
  },

  "they fail once the lock is gone": async (stage) => {
    const { lockedId, end, open } = await arrange(stage);
    await end(failed);
    await inTime("a step", step(stage));
    await open.rollBack();
    equal("it alone", (await carryOn(stage)).failed, [lockedId]);
  },

  "nothing is left of them if their transaction ends them": async (stage) => {
    const { lockedId, end, open } = await arrange(stage);
    await end();
    await open.commit();
    equal("nothing", await carryOn(stage), { unblocked: [], failed: [] });
    equal("it is cancelled", await statuses(stage, [lockedId]), ["cancelled"]);
  },

  "a job whose chain others start to wait for fails once they have": async (stage) => {
    const gate = await stage.startOne(job("x"));
    const waiting = await stage.startOne(job("a", { blockers: [blockedBy(gate.id)] }));
    const late = job("b", { blockers: [blockedBy(waiting.id)] });
    const open = await holding(stage, (other, tx) => other.startOne(late, tx));
    const ended = await inTime("it ends", stage.settled(failed({ chainId: gate.id, typeName: "x" })));
    match("not yet", ended, { failed: [], releasing: true });
    await open.commit();
    sameMembers("both", (await carryOn(stage)).failed, [waiting.id, late.id]);
  },

  "they keep no other job from its turn": async (stage) => {
    const { ids, lockedId, end, open } = await arrange(stage, many);
    const replies: Consequences[] = [await end()];
    for (let turn = 0; turn < 10; turn += 1) replies.push((await step(stage)).released);
    sameMembers(
      "all but one",
      toldBy(replies).unblocked,
      ids.filter((id) => id !== lockedId),
    );
    await open.rollBack();
    equal("it alone", (await carryOn(stage)).unblocked, [lockedId]);
  },
});
