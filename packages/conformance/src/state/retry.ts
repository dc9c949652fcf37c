import type { RetryItem } from "chainwright/adapter";
import { equal, match, only, rejected, sameMembers } from "../check.ts";
import { settlesSoon } from "../meeting.ts";
import { blockedBy, completed, continued, deferred, errorsText, failed, job, newId } from "./build.ts";
import { rules } from "./group.ts";
import { countsAgree, everything, statuses } from "./listing.ts";
import type { Stage } from "./stage.ts";
import { accepted, refused } from "./stage.ts";

function item(chainId: string, details: Partial<RetryItem> = {}): RetryItem {
  return { chainId, input: undefined, typeName: undefined, ...details };
}

function retry(stage: Stage, items: readonly RetryItem[], tx?: unknown) {
  return stage.store.retry(items, stage.options(tx));
}

async function failedChain(stage: Stage, typeName: string): Promise<string> {
  const { id } = await stage.startOne(job(typeName));
  await stage.settled(failed({ chainId: id, typeName }));
  return id;
}

async function cancelChain(stage: Stage, chainId: string): Promise<void> {
  accepted("cancelled", await stage.store.cancel([{ chainId, reason: "stop" }], stage.options()));
}

export const retryCases = rules("retry", {
  "a failed chain goes on where it stopped, its attempts counted anew, its errors kept": async (stage) => {
    const { id } = await stage.startOne(job("a", { input: '"in"', priority: 3 }));
    await stage.settled(deferred((await stage.claimOne("a")).fence));
    await stage.settled(failed((await stage.claimOne("a")).fence, errorsText("broke", 2)));
    stage.advance(60);
    const told = only("one", accepted("accepted", await retry(stage, [item(id)])));
    equal("told", told, {
      job: { jobId: id, chainId: id, typeName: "a", status: "ready", dueInMs: undefined },
      unblocked: [],
      failed: [],
      reblocked: [],
      releasing: false,
    });
    match("the chain", await stage.chain(id), { status: "active", endedAt: undefined, errors: undefined });
    match("the job", await stage.job(id), {
      status: "ready",
      attempt: 0,
      errors: errorsText("broke", 2),
      endedAt: undefined,
      leasedBy: undefined,
      startedAt: undefined,
    });
    match("claimed", await stage.claimOne("a"), {
      attempt: 1,
      errors: errorsText("broke", 2),
      input: '"in"',
      priority: 3,
      waitedMs: 0,
    });
    await countsAgree(stage);
  },

  "goes on from a later step, and leaves the steps before it": async (stage) => {
    const { id } = await stage.startOne(job("a"));
    const next = job("b", { input: '"b"' });
    await stage.settled(continued((await stage.claimOne("a")).fence, next));
    await stage.settled(failed((await stage.claimOne("b")).fence));
    const told = only("one", accepted("accepted", await retry(stage, [item(id)])));
    match("told", told.job, { jobId: next.id, chainId: id, typeName: "b", status: "ready" });
    match("the first step", await stage.job(id), { status: "completed", nextJobId: next.id });
    equal("not claimed", await stage.claim(["a"]), []);
    await stage.settled(completed((await stage.claimOne("b")).fence, "1"));
    match("the chain", await stage.chain(id), { status: "completed", output: "1" });
    await countsAgree(stage);
  },

  "with an input, that replaces the one of the step where it stopped": async (stage) => {
    const { id } = await stage.startOne(job("a", { input: '"a"' }));
    const next = job("b", { input: '"wrong"' });
    await stage.settled(continued((await stage.claimOne("a")).fence, next));
    await stage.settled(failed((await stage.claimOne("b")).fence));
    accepted("accepted", await retry(stage, [item(id, { input: '"right"' })]));
    equal("claimed with it", (await stage.claimOne("b")).input, '"right"');
    equal("on record", (await stage.job(next.id)).input, '"right"');
    equal("the first step's stays", (await stage.job(id)).input, '"a"');
  },

  "a cancelled chain goes on too: from ready, running or scheduled it is ready at once": async (stage) => {
    const ready = await stage.startOne(job("a"));
    const running = await stage.startOne(job("b"));
    await stage.claimOne("b");
    const scheduled = await stage.startOne(job("c", { schedule: { afterMs: 1_000_000 } }));
    for (const { id } of [ready, running, scheduled]) {
      await cancelChain(stage, id);
      const told = only("one", accepted("accepted", await retry(stage, [item(id)])));
      match("ready", told.job, { status: "ready", dueInMs: undefined });
      match("the chain", await stage.chain(id), { status: "active", reason: undefined, endedAt: undefined });
      match("the job", await stage.job(id), { status: "ready", scheduledAt: undefined, attempt: 0 });
    }
    equal("all can run", (await stage.claim(["a", "b", "c"])).length, 3);
    await countsAgree(stage);
  },

  "a cancelled chain whose blockers are open is blocked again": async (stage) => {
    const blocker = job("x");
    const { id } = await stage.startOne(job("a", { blockers: [{ start: blocker }] }));
    await cancelChain(stage, id);
    const told = only("one", accepted("accepted", await retry(stage, [item(id)])));
    match("blocked", told.job, { status: "blocked" });
    equal("not claimed", await stage.claim(["a"]), []);
    const { unblocked } = await stage.settled(completed((await stage.claimOne("x")).fence));
    equal("freed", only("one", unblocked).jobId, id);
    match("claimed", await stage.claimOne("a"), { id });
  },

  "a cancelled chain whose blockers completed meanwhile is ready": async (stage) => {
    const { id } = await stage.startOne(job("a", { blockers: [{ start: job("x") }] }));
    await cancelChain(stage, id);
    await stage.settled(completed((await stage.claimOne("x")).fence, "7"));
    const told = only("one", accepted("accepted", await retry(stage, [item(id)])));
    match("ready", told.job, { status: "ready" });
    equal("it sees the output", only("one", (await stage.claimOne("a")).blockers).output, "7");
  },

  "is refused while a blocker has failed, and names it": async (stage) => {
    const bad = await failedChain(stage, "x");
    const good = await stage.completedChain(job("y"));
    const { id } = await stage.startOne(job("a", { blockers: [blockedBy(good.id), blockedBy(bad)] }));
    const before = await everything(stage);
    match("refusal", refused("refused", await retry(stage, [item(id)])), {
      code: "chain-not-retryable",
      id,
      references: [bad],
    });
    equal("nothing is written", await everything(stage), before);
  },

  'with "wait" it is blocked while a blocker has failed': async (stage) => {
    const bad = await failedChain(stage, "x");
    const { id } = await stage.startOne(job("a", { blockers: [blockedBy(bad)], onBlockerFailure: "wait" }));
    await cancelChain(stage, id);
    const told = only("one", accepted("accepted", await retry(stage, [item(id)])));
    match("blocked", told.job, { status: "blocked" });
    accepted("the blocker too", await retry(stage, [item(bad)]));
    await stage.settled(completed({ chainId: bad, typeName: "x" }));
    match("freed", await stage.claimOne("a"), { id });
  },

  'a blocker that is retried is waited for again by those with "wait"': async (stage) => {
    const bad = await failedChain(stage, "x");
    const { id } = await stage.startOne(job("a", { blockers: [blockedBy(bad)], onBlockerFailure: "wait" }));
    const told = only("one", accepted("accepted", await retry(stage, [item(bad)])));
    equal("it was blocked all along", told.reblocked, []);
    const { unblocked } = await stage.settled(completed({ chainId: bad, typeName: "x" }));
    equal("freed", only("one", unblocked).jobId, id);
  },

  "dependents that failed because of it are blocked again, level by level, each told once": async (stage) => {
    const root = await stage.startOne(job("x"));
    const child = await stage.startOne(job("a", { blockers: [blockedBy(root.id)] }));
    const twin = await stage.startOne(job("a", { blockers: [blockedBy(root.id), blockedBy(root.id)] }));
    const grandchild = await stage.startOne(job("b", { blockers: [blockedBy(child.id), blockedBy(twin.id)] }));
    await stage.settled(failed({ chainId: root.id, typeName: "x" }));
    const told = only("one", accepted("accepted", await retry(stage, [item(root.id)])));
    sameMembers(
      "told, each once",
      told.reblocked.map(({ jobId }) => jobId),
      [child.id, twin.id, grandchild.id],
    );
    for (const { id } of [child, twin, grandchild]) {
      match("the chain", await stage.chain(id), { status: "active", endedAt: undefined, errors: undefined });
      match("the job", await stage.job(id), { status: "blocked", endedAt: undefined });
    }
    await countsAgree(stage);
    await stage.settled(completed({ chainId: root.id, typeName: "x" }));
    const freed = await stage.claim(["a"]);
    sameMembers(
      "first the children",
      freed.map(({ id }) => id),
      [child.id, twin.id],
    );
    for (const held of freed) await stage.settled(completed(held.fence));
    match("then the grandchild", await stage.claimOne("b"), { id: grandchild.id });
  },

  "dependents of a cancelled chain come back with it": async (stage) => {
    const root = await stage.startOne(job("x"));
    const child = await stage.startOne(job("a", { blockers: [blockedBy(root.id)] }));
    await cancelChain(stage, root.id);
    const told = only("one", accepted("accepted", await retry(stage, [item(root.id)])));
    equal("told", told.reblocked, [{ jobId: child.id, chainId: child.id, typeName: "a" }]);
    await stage.settled(completed({ chainId: root.id, typeName: "x" }));
    match("freed", await stage.claimOne("a"), { id: child.id, attempt: 1 });
  },

  "a dependent that was written as failed comes back too": async (stage) => {
    const bad = await failedChain(stage, "x");
    const late = await stage.startOne(job("a", { blockers: [blockedBy(bad)] }));
    const told = only("one", accepted("accepted", await retry(stage, [item(bad)])));
    equal("told", told.reblocked, [{ jobId: late.id, chainId: late.id, typeName: "a" }]);
    await stage.settled(completed({ chainId: bad, typeName: "x" }));
    match("freed", await stage.claimOne("a"), { id: late.id });
  },

  "a dependent that came back at a later step goes on there": async (stage) => {
    const bad = await stage.startOne(job("x"));
    const chain = await stage.startOne(job("a"));
    const next = job("b", { blockers: [blockedBy(bad.id)] });
    await stage.settled(continued((await stage.claimOne("a")).fence, next));
    await stage.settled(failed({ chainId: bad.id, typeName: "x" }));
    const told = only("one", accepted("accepted", await retry(stage, [item(bad.id)])));
    equal("told", told.reblocked, [{ jobId: next.id, chainId: chain.id, typeName: "b" }]);
    equal("active", await statuses(stage, [chain.id]), ["active"]);
  },

  "dependents that ended for reasons of their own stay as they are": async (stage) => {
    const root = await stage.startOne(job("x"));
    const own = await stage.startOne(job("a", { blockers: [blockedBy(root.id)] }));
    const gone = await stage.startOne(job("a", { blockers: [blockedBy(root.id)] }));
    const done = await stage.startOne(job("a", { blockers: [blockedBy(root.id)] }));
    await stage.settled(failed({ chainId: own.id, typeName: "a" }, errorsText("its own")));
    await cancelChain(stage, gone.id);
    await stage.settled(completed({ chainId: done.id, typeName: "a" }));
    await stage.settled(failed({ chainId: root.id, typeName: "x" }));
    const told = only("one", accepted("accepted", await retry(stage, [item(root.id)])));
    equal("none comes back", told.reblocked, []);
    equal("as they were", await statuses(stage, [own.id, gone.id, done.id]), ["failed", "cancelled", "completed"]);
  },

  "a dependent of two failed chains runs once, when both were retried and completed, in either order": async (
    stage,
  ) => {
    for (const order of [
      [0, 1],
      [1, 0],
    ] as const) {
      const blockers = await stage.start([job("x"), job("x")]);
      const ids = blockers.map(({ id }) => id);
      const waiting = await stage.startOne(job("a", { blockers: ids.map((id) => blockedBy(id)) }));
      for (const id of ids) await stage.settled(failed({ chainId: id, typeName: "x" }));
      for (const index of order) accepted("accepted", await retry(stage, [item(ids[index] ?? "")]));
      for (const index of order) {
        equal("not before", await stage.claim(["a"]), []);
        await stage.settled(completed({ chainId: ids[index] ?? "", typeName: "x" }));
      }
      const held = await stage.claimOne("a");
      equal("it runs", held.id, waiting.id);
      await stage.settled(completed(held.fence));
      await countsAgree(stage);
    }
  },

  "a dependent of two failed chains runs once, when each is retried and completed before the other": async (stage) => {
    for (const order of [
      [0, 1],
      [1, 0],
    ] as const) {
      const blockers = await stage.start([job("x"), job("x")]);
      const ids = blockers.map(({ id }) => id);
      const waiting = await stage.startOne(job("a", { blockers: ids.map((id) => blockedBy(id)) }));
      for (const id of ids) await stage.settled(failed({ chainId: id, typeName: "x" }));
      for (const index of order) {
        equal("not before", await stage.claim(["a"]), []);
        accepted("accepted", await retry(stage, [item(ids[index] ?? "")]));
        await stage.settled(completed({ chainId: ids[index] ?? "", typeName: "x" }));
      }
      const held = await stage.claimOne("a");
      equal("it runs", held.id, waiting.id);
      await stage.settled(completed(held.fence));
      await countsAgree(stage);
    }
  },

  "a retried chain that fails again fails its dependents again": async (stage) => {
    const bad = await stage.startOne(job("x"));
    const waiting = await stage.startOne(job("a", { blockers: [blockedBy(bad.id)] }));
    for (let round = 0; round < 3; round += 1) {
      const settled = await stage.settled(failed((await stage.claimOne("x")).fence));
      equal("failed", only("one", settled.failed).chainId, waiting.id);
      const told = only("one", accepted("accepted", await retry(stage, [item(bad.id)])));
      equal("back", only("one", told.reblocked).chainId, waiting.id);
      await countsAgree(stage);
    }
  },

  "refuses all when one is refused, and writes nothing": async (stage) => {
    const bad = await failedChain(stage, "a");
    const open = await stage.startOne(job("b"));
    const done = await stage.completedChain(job("c"));
    const missing = newId();
    const refusals = [
      [item(missing), { code: "chain-not-found", id: missing }],
      [item(open.id), { code: "chain-not-retryable", id: open.id, actual: "active" }],
      [item(done.id), { code: "chain-not-retryable", id: done.id, actual: "completed" }],
    ] as const;
    const before = await everything(stage);
    for (const [wrong, refusal] of refusals) {
      match("refusal", refused("refused", await retry(stage, [item(bad), wrong])), refusal);
      equal("nothing is written", await everything(stage), before);
    }
  },

  "refuses a step of another type than the caller believes": async (stage) => {
    const { id } = await stage.startOne(job("a"));
    await stage.settled(continued((await stage.claimOne("a")).fence, job("b")));
    await stage.settled(failed((await stage.claimOne("b")).fence));
    match("refusal", refused("refused", await retry(stage, [item(id, { typeName: "a" })])), {
      code: "job-type-mismatch",
      id,
      actual: "b",
    });
    equal("as it was", await statuses(stage, [id]), ["failed"]);
    accepted("accepted", await retry(stage, [item(id, { typeName: "b" })]));
  },

  "answers in the order of the request": async (stage) => {
    const ids = [await failedChain(stage, "a"), await failedChain(stage, "b"), await failedChain(stage, "c")];
    const told = accepted(
      "accepted",
      await retry(
        stage,
        ids.toReversed().map((id) => item(id)),
      ),
    );
    equal(
      "order",
      told.map((one) => one.job.chainId),
      ids.toReversed(),
    );
    equal("nothing when asked for nothing", accepted("accepted", await retry(stage, [])), []);
  },

  "in a transaction that rolls back it did not happen": async (stage) => {
    const root = await stage.startOne(job("x"));
    await stage.startOne(job("a", { blockers: [blockedBy(root.id)] }));
    await stage.settled(failed({ chainId: root.id, typeName: "x" }));
    const before = await everything(stage);
    await rejected(
      "rejects",
      stage.store.transaction(async (tx) => {
        accepted("accepted", await retry(stage, [item(root.id)], tx));
        throw new Error("undo");
      }),
    );
    equal("as it was", await everything(stage), before);
    equal("not claimable", await stage.claim(["x"]), []);
  },

  "of many retries at the same time one is taken": async (stage) => {
    const other = await stage.connect();
    const id = await failedChain(stage, "a");
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, index) => {
        const own = index % 2 === 0 ? stage : other;
        return own.insist(() => retry(own, [item(id)]));
      }),
    );
    equal("one", replies.filter(({ ok }) => ok).length, 1);
    equal("one job to claim", (await stage.claim(["a"])).length, 1);
    await countsAgree(stage);
  },

  "while another blocker of what comes back with it ends: that is never stuck": async (stage) => {
    const other = await stage.connect();
    const broken = await stage.startOne(job("x"));
    const ending = await stage.startOne(job("y"));
    const { fence } = await stage.claimOne("y");
    const dependent = await stage.startOne(job("a", { blockers: [blockedBy(broken.id), blockedBy(ending.id)] }));
    await stage.settled(failed({ chainId: broken.id, typeName: "x" }));
    let retried: Promise<unknown> | undefined;
    await stage.transact(async (tx) => {
      await stage.settled(completed(fence), tx);
      retried ??= other.insist(() => retry(other, [item(broken.id)]));
      await settlesSoon(retried);
    });
    await retried;
    match("blocked again by one", await stage.job(dependent.id), { status: "blocked", blockersLeft: 1 });
    await stage.settled(completed((await stage.claimOne("x")).fence));
    match("it can run", await stage.claimOne("a"), { id: dependent.id });
  },
});
