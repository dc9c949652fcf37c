import { equal, match, only, sameMembers } from "../check.ts";
import { blockedBy, completed, continued, errorsText, failed, job } from "./build.ts";
import { rules } from "./group.ts";
import { countsAgree, statuses } from "./listing.ts";
import { accepted } from "./fixture.ts";
import { cancelChain, failedChain, item, retry } from "./retrying.ts";

export const retryDependentsCases = rules("retry", {
  "dependents that failed because of it are blocked again, level by level, each reported once": async (fixture) => {
    const root = await fixture.startOne(job("x"));
    const child = await fixture.startOne(job("a", { blockers: [blockedBy(root.id)] }));
    const twin = await fixture.startOne(job("a", { blockers: [blockedBy(root.id), blockedBy(root.id)] }));
    const grandchild = await fixture.startOne(job("b", { blockers: [blockedBy(child.id), blockedBy(twin.id)] }));
    await fixture.settled(failed({ chainId: root.id, typeName: "x" }));
    const reply = only("one", accepted("accepted", await retry(fixture, [item(root.id)])));
    sameMembers(
      "blocked again, each reported once",
      reply.reblocked.map(({ jobId }) => jobId),
      [child.id, twin.id, grandchild.id],
    );
    for (const { id } of [child, twin, grandchild]) {
      match("the chain", await fixture.chain(id), { status: "active", endedAt: undefined, errors: undefined });
      match("the job", await fixture.job(id), { status: "blocked", endedAt: undefined });
    }
    await countsAgree(fixture);
    await fixture.settled(completed({ chainId: root.id, typeName: "x" }));
    const freed = await fixture.claim(["a"]);
    sameMembers(
      "first the children",
      freed.map(({ id }) => id),
      [child.id, twin.id],
    );
    for (const held of freed) await fixture.settled(completed(held.fence));
    match("then the grandchild", await fixture.claimOne("b"), { id: grandchild.id });
  },

  "dependents of a cancelled chain are blocked again when it is retried": async (fixture) => {
    const root = await fixture.startOne(job("x"));
    const child = await fixture.startOne(job("a", { blockers: [blockedBy(root.id)] }));
    await cancelChain(fixture, root.id);
    const reply = only("one", accepted("accepted", await retry(fixture, [item(root.id)])));
    equal("blocked again", reply.reblocked, [{ jobId: child.id, chainId: child.id, typeName: "a" }]);
    await fixture.settled(completed({ chainId: root.id, typeName: "x" }));
    match("freed", await fixture.claimOne("a"), { id: child.id, attempt: 1 });
  },

  "a dependent that was written as failed is blocked again as well": async (fixture) => {
    const bad = await failedChain(fixture, "x");
    const late = await fixture.startOne(job("a", { blockers: [blockedBy(bad)] }));
    const reply = only("one", accepted("accepted", await retry(fixture, [item(bad)])));
    equal("blocked again", reply.reblocked, [{ jobId: late.id, chainId: late.id, typeName: "a" }]);
    await fixture.settled(completed({ chainId: bad, typeName: "x" }));
    match("freed", await fixture.claimOne("a"), { id: late.id });
  },

  "a dependent that failed at a later step continues there": async (fixture) => {
    const bad = await fixture.startOne(job("x"));
    const chain = await fixture.startOne(job("a"));
    const next = job("b", { blockers: [blockedBy(bad.id)] });
    await fixture.settled(continued((await fixture.claimOne("a")).fence, next));
    await fixture.settled(failed({ chainId: bad.id, typeName: "x" }));
    const reply = only("one", accepted("accepted", await retry(fixture, [item(bad.id)])));
    equal("blocked again", reply.reblocked, [{ jobId: next.id, chainId: chain.id, typeName: "b" }]);
    equal("active", await statuses(fixture, [chain.id]), ["active"]);
  },

  "dependents that ended for other reasons do not change": async (fixture) => {
    const root = await fixture.startOne(job("x"));
    const own = await fixture.startOne(job("a", { blockers: [blockedBy(root.id)] }));
    const gone = await fixture.startOne(job("a", { blockers: [blockedBy(root.id)] }));
    const done = await fixture.startOne(job("a", { blockers: [blockedBy(root.id)] }));
    await fixture.settled(failed({ chainId: own.id, typeName: "a" }, errorsText("its own")));
    await cancelChain(fixture, gone.id);
    await fixture.settled(completed({ chainId: done.id, typeName: "a" }));
    await fixture.settled(failed({ chainId: root.id, typeName: "x" }));
    const reply = only("one", accepted("accepted", await retry(fixture, [item(root.id)])));
    equal("none comes back", reply.reblocked, []);
    equal("as they were", await statuses(fixture, [own.id, gone.id, done.id]), ["failed", "cancelled", "completed"]);
  },

  "a dependent of two failed chains runs once, when both were retried and completed, in either order": async (
    fixture,
  ) => {
    for (const order of [
      [0, 1],
      [1, 0],
    ] as const) {
      const blockers = await fixture.start([job("x"), job("x")]);
      const ids = blockers.map(({ id }) => id);
      const waiting = await fixture.startOne(job("a", { blockers: ids.map((id) => blockedBy(id)) }));
      for (const id of ids) await fixture.settled(failed({ chainId: id, typeName: "x" }));
      for (const index of order) accepted("accepted", await retry(fixture, [item(ids[index] ?? "")]));
      for (const index of order) {
        equal("not before", await fixture.claim(["a"]), []);
        await fixture.settled(completed({ chainId: ids[index] ?? "", typeName: "x" }));
      }
      const held = await fixture.claimOne("a");
      equal("it runs", held.id, waiting.id);
      await fixture.settled(completed(held.fence));
      await countsAgree(fixture);
    }
  },

  "a dependent of two failed chains runs once, when each is retried and completed before the other": async (
    fixture,
  ) => {
    for (const order of [
      [0, 1],
      [1, 0],
    ] as const) {
      const blockers = await fixture.start([job("x"), job("x")]);
      const ids = blockers.map(({ id }) => id);
      const waiting = await fixture.startOne(job("a", { blockers: ids.map((id) => blockedBy(id)) }));
      for (const id of ids) await fixture.settled(failed({ chainId: id, typeName: "x" }));
      for (const index of order) {
        equal("not before", await fixture.claim(["a"]), []);
        accepted("accepted", await retry(fixture, [item(ids[index] ?? "")]));
        await fixture.settled(completed({ chainId: ids[index] ?? "", typeName: "x" }));
      }
      const held = await fixture.claimOne("a");
      equal("it runs", held.id, waiting.id);
      await fixture.settled(completed(held.fence));
      await countsAgree(fixture);
    }
  },

  "a retried chain that fails again fails its dependents again": async (fixture) => {
    const bad = await fixture.startOne(job("x"));
    const waiting = await fixture.startOne(job("a", { blockers: [blockedBy(bad.id)] }));
    for (let round = 0; round < 3; round += 1) {
      const settled = await fixture.settled(failed((await fixture.claimOne("x")).fence));
      equal("failed", only("one", settled.failed).chainId, waiting.id);
      const reply = only("one", accepted("accepted", await retry(fixture, [item(bad.id)])));
      equal("back", only("one", reply.reblocked).chainId, waiting.id);
      await countsAgree(fixture);
    }
  },
});
