import { equal, match, only, rejected } from "../check.ts";
import { settlesSoon } from "../barrier.ts";
import { blockedBy, completed, continued, deferred, errorsText, failed, job, newId } from "./build.ts";
import { rules } from "./group.ts";
import { countsAgree, everything, statuses } from "./listing.ts";
import { accepted, refused } from "./fixture.ts";
import { cancelChain, failedChain, item, retry } from "./retrying.ts";

export const retryCases = rules("retry", {
  "a failed chain continues where it stopped; its attempts restart at 1 and its errors are kept": async (fixture) => {
    const { id } = await fixture.startOne(job("a", { input: '"in"', priority: 3 }));
    await fixture.settled(deferred((await fixture.claimOne("a")).fence));
    await fixture.settled(failed((await fixture.claimOne("a")).fence, errorsText("broke", 2)));
    fixture.advance(60);
    const reply = only("one", accepted("accepted", await retry(fixture, [item(id)])));
    equal("reply", reply, {
      job: { jobId: id, chainId: id, typeName: "a", status: "ready", dueInMs: undefined },
      unblocked: [],
      failed: [],
      reblocked: [],
      releasing: false,
    });
    match("the chain", await fixture.chain(id), { status: "active", endedAt: undefined, errors: undefined });
    match("the job", await fixture.job(id), {
      status: "ready",
      attempt: 0,
      errors: errorsText("broke", 2),
      endedAt: undefined,
      leasedBy: undefined,
      startedAt: undefined,
    });
    match("claimed", await fixture.claimOne("a"), {
      attempt: 1,
      errors: errorsText("broke", 2),
      input: '"in"',
      priority: 3,
      waitedMs: 0,
    });
    await countsAgree(fixture);
  },

  "a chain that failed at a later step continues there and keeps the steps before it": async (fixture) => {
    const { id } = await fixture.startOne(job("a"));
    const next = job("b", { input: '"b"' });
    await fixture.settled(continued((await fixture.claimOne("a")).fence, next));
    await fixture.settled(failed((await fixture.claimOne("b")).fence));
    const reply = only("one", accepted("accepted", await retry(fixture, [item(id)])));
    match("the job in the reply", reply.job, { jobId: next.id, chainId: id, typeName: "b", status: "ready" });
    match("the first step", await fixture.job(id), { status: "completed", nextJobId: next.id });
    equal("not claimed", await fixture.claim(["a"]), []);
    await fixture.settled(completed((await fixture.claimOne("b")).fence, "1"));
    match("the chain", await fixture.chain(id), { status: "completed", output: "1" });
    await countsAgree(fixture);
  },

  "a given input replaces that of the step where the chain stopped": async (fixture) => {
    const { id } = await fixture.startOne(job("a", { input: '"a"' }));
    const next = job("b", { input: '"wrong"' });
    await fixture.settled(continued((await fixture.claimOne("a")).fence, next));
    await fixture.settled(failed((await fixture.claimOne("b")).fence));
    accepted("accepted", await retry(fixture, [item(id, { input: '"right"' })]));
    equal("claimed with it", (await fixture.claimOne("b")).input, '"right"');
    equal("on record", (await fixture.job(next.id)).input, '"right"');
    equal("the first step's stays", (await fixture.job(id)).input, '"a"');
  },

  "a cancelled chain continues too: its ready, running or scheduled job is ready at once": async (fixture) => {
    const ready = await fixture.startOne(job("a"));
    const running = await fixture.startOne(job("b"));
    await fixture.claimOne("b");
    const scheduled = await fixture.startOne(job("c", { schedule: { afterMs: 1_000_000 } }));
    for (const { id } of [ready, running, scheduled]) {
      await cancelChain(fixture, id);
      const reply = only("one", accepted("accepted", await retry(fixture, [item(id)])));
      match("ready", reply.job, { status: "ready", dueInMs: undefined });
      match("the chain", await fixture.chain(id), { status: "active", reason: undefined, endedAt: undefined });
      match("the job", await fixture.job(id), { status: "ready", scheduledAt: undefined, attempt: 0 });
    }
    equal("all can run", (await fixture.claim(["a", "b", "c"])).length, 3);
    await countsAgree(fixture);
  },

  "a cancelled chain whose blockers are open is blocked again": async (fixture) => {
    const blocker = job("x");
    const { id } = await fixture.startOne(job("a", { blockers: [{ start: blocker }] }));
    await cancelChain(fixture, id);
    const reply = only("one", accepted("accepted", await retry(fixture, [item(id)])));
    match("blocked", reply.job, { status: "blocked" });
    equal("not claimed", await fixture.claim(["a"]), []);
    const { unblocked } = await fixture.settled(completed((await fixture.claimOne("x")).fence));
    equal("freed", only("one", unblocked).jobId, id);
    match("claimed", await fixture.claimOne("a"), { id });
  },

  "a cancelled chain whose blockers completed meanwhile is ready": async (fixture) => {
    const { id } = await fixture.startOne(job("a", { blockers: [{ start: job("x") }] }));
    await cancelChain(fixture, id);
    await fixture.settled(completed((await fixture.claimOne("x")).fence, "7"));
    const reply = only("one", accepted("accepted", await retry(fixture, [item(id)])));
    match("ready", reply.job, { status: "ready" });
    equal("it sees the output", only("one", (await fixture.claimOne("a")).blockers).output, "7");
  },

  "a retry is refused while a blocker has failed, and the refusal names the blocker": async (fixture) => {
    const bad = await failedChain(fixture, "x");
    const good = await fixture.completedChain(job("y"));
    const { id } = await fixture.startOne(job("a", { blockers: [blockedBy(good.id), blockedBy(bad)] }));
    const before = await everything(fixture);
    match("refusal", refused("refused", await retry(fixture, [item(id)])), {
      code: "chain-not-retryable",
      id,
      references: [bad],
    });
    equal("nothing is written", await everything(fixture), before);
  },

  'a cancelled chain with "wait" is blocked again while a blocker has failed': async (fixture) => {
    const bad = await failedChain(fixture, "x");
    const { id } = await fixture.startOne(job("a", { blockers: [blockedBy(bad)], onBlockerFailure: "wait" }));
    await cancelChain(fixture, id);
    const reply = only("one", accepted("accepted", await retry(fixture, [item(id)])));
    match("blocked", reply.job, { status: "blocked" });
    accepted("the blocker too", await retry(fixture, [item(bad)]));
    await fixture.settled(completed({ chainId: bad, typeName: "x" }));
    match("freed", await fixture.claimOne("a"), { id });
  },

  'chains with "wait" wait again for a blocker that is retried': async (fixture) => {
    const bad = await failedChain(fixture, "x");
    const { id } = await fixture.startOne(job("a", { blockers: [blockedBy(bad)], onBlockerFailure: "wait" }));
    const reply = only("one", accepted("accepted", await retry(fixture, [item(bad)])));
    equal("it was blocked all along", reply.reblocked, []);
    const { unblocked } = await fixture.settled(completed({ chainId: bad, typeName: "x" }));
    equal("freed", only("one", unblocked).jobId, id);
  },

  "refuses the whole call when one item is refused, and writes nothing": async (fixture) => {
    const bad = await failedChain(fixture, "a");
    const open = await fixture.startOne(job("b"));
    const done = await fixture.completedChain(job("c"));
    const missing = newId();
    const refusals = [
      [item(missing), { code: "chain-not-found", id: missing }],
      [item(open.id), { code: "chain-not-retryable", id: open.id, actual: "active" }],
      [item(done.id), { code: "chain-not-retryable", id: done.id, actual: "completed" }],
    ] as const;
    const before = await everything(fixture);
    for (const [wrong, refusal] of refusals) {
      match("refusal", refused("refused", await retry(fixture, [item(bad), wrong])), refusal);
      equal("nothing is written", await everything(fixture), before);
    }
  },

  "refuses a step of another type than the caller expects": async (fixture) => {
    const { id } = await fixture.startOne(job("a"));
    await fixture.settled(continued((await fixture.claimOne("a")).fence, job("b")));
    await fixture.settled(failed((await fixture.claimOne("b")).fence));
    match("refusal", refused("refused", await retry(fixture, [item(id, { typeName: "a" })])), {
      code: "job-type-mismatch",
      id,
      actual: "b",
    });
    equal("as it was", await statuses(fixture, [id]), ["failed"]);
    accepted("accepted", await retry(fixture, [item(id, { typeName: "b" })]));
  },

  "returns replies in the order of the request": async (fixture) => {
    const ids = [await failedChain(fixture, "a"), await failedChain(fixture, "b"), await failedChain(fixture, "c")];
    const replies = accepted(
      "accepted",
      await retry(
        fixture,
        ids.toReversed().map((id) => item(id)),
      ),
    );
    equal(
      "order",
      replies.map((one) => one.job.chainId),
      ids.toReversed(),
    );
    equal("nothing when asked for nothing", accepted("accepted", await retry(fixture, [])), []);
  },

  "has no effect in a transaction that rolls back": async (fixture) => {
    const root = await fixture.startOne(job("x"));
    await fixture.startOne(job("a", { blockers: [blockedBy(root.id)] }));
    await fixture.settled(failed({ chainId: root.id, typeName: "x" }));
    const before = await everything(fixture);
    await rejected(
      "rejects",
      fixture.store.transaction(async (tx) => {
        accepted("accepted", await retry(fixture, [item(root.id)], tx));
        throw new Error("undo");
      }),
    );
    equal("as it was", await everything(fixture), before);
    equal("not claimable", await fixture.claim(["x"]), []);
  },

  "of many retries at the same time exactly one succeeds": async (fixture) => {
    const other = await fixture.connect();
    const id = await failedChain(fixture, "a");
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, index) => {
        const own = index % 2 === 0 ? fixture : other;
        return own.insist(() => retry(own, [item(id)]));
      }),
    );
    equal("one", replies.filter(({ ok }) => ok).length, 1);
    equal("one job to claim", (await fixture.claim(["a"])).length, 1);
    await countsAgree(fixture);
  },

  "a dependent whose other blocker ends at the time of the retry does not get stuck": async (fixture) => {
    const other = await fixture.connect();
    const broken = await fixture.startOne(job("x"));
    const ending = await fixture.startOne(job("y"));
    const { fence } = await fixture.claimOne("y");
    const dependent = await fixture.startOne(job("a", { blockers: [blockedBy(broken.id), blockedBy(ending.id)] }));
    await fixture.settled(failed({ chainId: broken.id, typeName: "x" }));
    let retried: Promise<unknown> | undefined;
    await fixture.transact(async (tx) => {
      await fixture.settled(completed(fence), tx);
      retried ??= other.insist(() => retry(other, [item(broken.id)]));
      await settlesSoon(retried);
    });
    await retried;
    match("blocked again by one", await fixture.job(dependent.id), { status: "blocked", blockersLeft: 1 });
    await fixture.settled(completed((await fixture.claimOne("x")).fence));
    match("it can run", await fixture.claimOne("a"), { id: dependent.id });
  },
});
