import type { Consequences } from "chainwright/adapter";
import { settlesSoon } from "../barrier.ts";
import { inTime } from "../behaviour/event-log.ts";
import { equal, holds, match, sameMembers } from "../check.ts";
import { blockedBy, completed, failed, job } from "./build.ts";
import { rulesWith } from "./group.ts";
import { holding } from "./holding.ts";
import { statuses } from "./listing.ts";
import { carryOn, many, releasedBy, step, waitingFor } from "./releasing.ts";
import { accepted } from "./fixture.ts";
import type { StateFixture } from "./fixture.ts";

/** A chain that jobs wait for, one of which is cancelled in a transaction that stays open. */
async function arrange(fixture: StateFixture, count = 3) {
  const gate = await fixture.startOne(job("x"));
  const ids = (await fixture.start(waitingFor(gate.id, count))).map(({ id }) => id);
  const [lockedId = "", ...others] = ids;
  const items = [{ chainId: lockedId, reason: undefined }];
  const open = await holding(fixture, async (other, tx) => {
    accepted("cancelled", await other.store.cancel(items, other.options(tx)));
  });
  const end = (outcome = completed) =>
    inTime(
      "it ends",
      fixture.insist(() => fixture.settled(outcome({ chainId: gate.id, typeName: "x" }))),
    );
  return { gate, ids, lockedId, others, open, end };
}

export const releaseLockedCases = rulesWith("release of jobs that another transaction has locked", "rowLocks", {
  "the end of the chain does not wait for locked dependents, and releases the others": async (fixture) => {
    const { others, end, open } = await arrange(fixture);
    const ended = await end();
    sameMembers("the others", releasedBy([ended]).unblocked, others);
    match("more is to come", ended, { releasing: true });
    await open.commit();
  },

  "the failure of the chain does not wait for locked dependents, and fails the others": async (fixture) => {
    const { others, end, open } = await arrange(fixture);
    const ended = await end(failed);
    sameMembers("the others", releasedBy([ended]).failed, others);
    match("more is to come", ended, { releasing: true });
    await open.commit();
  },

  "they are released once the lock is gone": async (fixture) => {
    const { lockedId, end, open } = await arrange(fixture);
    await end();
    const { released, nextDueInMs } = await inTime("a step", step(fixture));
    match("not now", released, { unblocked: [], releasing: false });
    holds("but before long", nextDueInMs !== undefined && nextDueInMs > 0, nextDueInMs);
    holds("a claim reports it as well", (await fixture.look(["other"])).nextDueInMs !== undefined, "nothing is due");
    await open.rollBack();
    equal("it alone", (await carryOn(fixture)).unblocked, [lockedId]);
    match("ready", await fixture.job(lockedId), { status: "ready", blockersLeft: 0 });
  },

  "they fail once the lock is gone": async (fixture) => {
    const { lockedId, end, open } = await arrange(fixture);
    await end(failed);
    await inTime("a step", step(fixture));
    await open.rollBack();
    equal("it alone", (await carryOn(fixture)).failed, [lockedId]);
  },

  "nothing is left of them if their transaction ends them": async (fixture) => {
    const { lockedId, end, open } = await arrange(fixture);
    await end();
    await open.commit();
    equal("nothing", await carryOn(fixture), { unblocked: [], failed: [] });
    equal("it is cancelled", await statuses(fixture, [lockedId]), ["cancelled"]);
  },

  "a job whose chain others start to wait for fails once they have": async (fixture) => {
    const gate = await fixture.startOne(job("x"));
    const waiting = await fixture.startOne(job("a", { blockers: [blockedBy(gate.id)] }));
    const late = job("b", { blockers: [blockedBy(waiting.id)] });
    const open = await holding(fixture, (other, tx) => other.startOne(late, tx));
    const ended = await inTime("it ends", fixture.settled(failed({ chainId: gate.id, typeName: "x" })));
    match("not yet", ended, { failed: [], releasing: true });
    await open.commit();
    sameMembers("both", (await carryOn(fixture)).failed, [waiting.id, late.id]);
  },

  "a retry of the failed chain waits for the step under way, and ends what is left": async (fixture) => {
    const [gate, other] = [await fixture.startOne(job("x")), await fixture.startOne(job("y"))];
    const blockers = [blockedBy(gate.id), blockedBy(other.id)];
    const waiting = await fixture.start(waitingFor(gate.id, many, { blockers }));
    await fixture.settled(failed({ chainId: gate.id, typeName: "x" }));
    const underWay = await holding(fixture, (process, tx) => step(process, tx));
    const items = [{ chainId: gate.id, input: undefined, typeName: undefined }];
    const retried = fixture.insist(() => fixture.store.retry(items, fixture.options()));
    equal("it waits", await settlesSoon(retried), false);
    await underWay.commit();
    accepted("retried", await inTime("it ends", retried));
    const end = await fixture.settled(completed({ chainId: gate.id, typeName: "x" }));
    equal("none is ready", await carryOn(fixture, [end]), { unblocked: [], failed: [] });
    const last = await fixture.settled(completed({ chainId: other.id, typeName: "y" }));
    sameMembers(
      "all, after the other chain",
      (await carryOn(fixture, [last])).unblocked,
      waiting.map(({ id }) => id),
    );
  },

  "locked dependents do not delay other jobs": async (fixture) => {
    const { ids, lockedId, end, open } = await arrange(fixture, many);
    const replies: Consequences[] = [await end()];
    for (let turn = 0; turn < 10; turn += 1) replies.push((await step(fixture)).released);
    sameMembers(
      "all but one",
      releasedBy(replies).unblocked,
      ids.filter((id) => id !== lockedId),
    );
    await open.rollBack();
    equal("it alone", (await carryOn(fixture)).unblocked, [lockedId]);
  },
});
