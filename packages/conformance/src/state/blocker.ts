import { equal, match, only, sameMembers } from "../check.ts";
import { blockedBy, completed, failed, job } from "./build.ts";
import { rules } from "./group.ts";
import { countsAgree } from "./listing.ts";

export const blockerCases = rules("blocker", {
  "a job blocked by an active chain waits until that chain completes": async (fixture) => {
    const blocker = await fixture.startOne(job("x"));
    const waiting = await fixture.startOne(job("a", { blockers: [blockedBy(blocker.id)] }));
    equal("its job", only("one job", waiting.jobs), {
      jobId: waiting.id,
      chainId: waiting.id,
      typeName: "a",
      status: "blocked",
      dueInMs: undefined,
    });
    match("blocked", await fixture.job(waiting.id), { status: "blocked", blockersLeft: 1, hasBlockers: true });
    equal("not claimed", await fixture.claim(["a"]), []);
    const held = await fixture.claimOne("x");
    const { unblocked } = await fixture.settled(completed(held.fence));
    equal("released jobs in the reply", unblocked, [
      { jobId: waiting.id, chainId: waiting.id, typeName: "a", status: "ready", dueInMs: undefined },
    ]);
    match("ready", await fixture.job(waiting.id), { status: "ready", blockersLeft: 0, hasBlockers: true });
    const next = await fixture.claimOne("a");
    match("claimed", next, { id: waiting.id });
    await fixture.settled(completed(next.fence));
    match("ended", await fixture.job(waiting.id), { status: "completed", hasBlockers: false });
  },

  "a job waits for the whole blocking chain, not only for its first step": async (fixture) => {
    const blocker = await fixture.startOne(job("x"));
    const waiting = await fixture.startOne(job("a", { blockers: [blockedBy(blocker.id)] }));
    const first = { chainId: blocker.id, typeName: "x" };
    const { unblocked } = await fixture.settled({ target: first, kind: "continued", next: job("y") });
    equal("not yet", unblocked, []);
    match("blocked", await fixture.job(waiting.id), { status: "blocked" });
    await fixture.settled(completed({ chainId: blocker.id, typeName: "y" }, '"last"'));
    const seen = only("one blocker", (await fixture.claimOne("a")).blockers);
    match("the chain's entry type and last output", seen, { typeName: "x", output: '"last"' });
  },

  "an unblocked job is claimed in the order of its start, not of its release": async (fixture) => {
    const blocker = await fixture.startOne(job("x"));
    const blocked = await fixture.startOne(job("a", { blockers: [blockedBy(blocker.id)] }));
    const later = await fixture.startOne(job("a"));
    await fixture.settled(completed({ chainId: blocker.id, typeName: "x" }));
    equal(
      "order",
      (await fixture.claim(["a"])).map((held) => held.id),
      [blocked.id, later.id],
    );
  },

  "an unblocked job can be claimed in the exchange that releases it, and its waiting time begins there": async (
    fixture,
  ) => {
    const blocker = await fixture.startOne(job("x"));
    const waiting = await fixture.startOne(job("a", { blockers: [blockedBy(blocker.id)] }));
    const { fence } = await fixture.claimOne("x");
    fixture.advance(700);
    const reply = await fixture.store.exchange(
      {
        outcomes: [completed(fence, "1")],
        claim: { workerId: "w-1", types: [{ typeName: "a", leaseMs: 1_000 }], limit: 5 },
      },
      fixture.options(),
    );
    match("claimed", only("one", reply.claimed), { id: waiting.id, waitedMs: 0 });
  },

  "a start may be blocked by a chain started earlier in the same call": async (fixture) => {
    const blocker = job("x");
    const [, waiting] = await fixture.start([blocker, job("a", { blockers: [blockedBy(blocker.id, "x")] })]);
    equal("blocked", only("one job", waiting?.jobs ?? []).status, "blocked");
    await fixture.settled(completed((await fixture.claimOne("x")).fence));
    match("freed", await fixture.claimOne("a"), { id: waiting?.id });
  },

  "a job waits for all of its blockers": async (fixture) => {
    const blockers = await fixture.start([job("x"), job("x"), job("x")]);
    const start = job("a", { blockers: [...blockers.map(({ id }) => blockedBy(id)), { start: job("x") }] });
    await fixture.startOne(start);
    const held = await fixture.claim(["x"]);
    for (const [index, { fence }] of held.entries()) {
      const { unblocked } = await fixture.settled(completed(fence, String(index)));
      equal("freed by the last alone", unblocked.length, index === 3 ? 1 : 0);
    }
    equal(
      "outputs in position order",
      (await fixture.claimOne("a")).blockers.map(({ output }) => output),
      ["0", "1", "2", "3"],
    );
  },

  "a job is released once by a batch that ends all of its blockers": async (fixture) => {
    const inline = Array.from({ length: 20 }, () => job("x"));
    const waiting = await fixture.startOne(job("a", { blockers: inline.map((start) => ({ start })) }));
    const held = await fixture.claim(["x"]);
    const replies = await fixture.store.settle(
      held.map(({ fence }) => completed(fence)),
      fixture.options(),
    );
    const unblocked = replies.flatMap((reply) => (reply.status === "settled" ? reply.unblocked : []));
    equal("reported once", only("one", unblocked).jobId, waiting.id);
    match("ready", await fixture.job(waiting.id), { status: "ready", blockersLeft: 0 });
  },

  "a job with the same chain at two positions waits for it, runs once and sees it twice": async (fixture) => {
    const [twice, once] = await fixture.start([job("x"), job("y")]);
    const ids = [twice?.id ?? "", once?.id ?? ""] as const;
    const start = job("a", { blockers: [blockedBy(ids[0]), blockedBy(ids[1]), blockedBy(ids[0])] });
    await fixture.startOne(start);
    const first = await fixture.settled(completed({ chainId: ids[0], typeName: "x" }, '"twice"'));
    equal("not yet", first.unblocked, []);
    equal("not claimed", await fixture.claim(["a"]), []);
    const second = await fixture.settled(completed({ chainId: ids[1], typeName: "y" }, '"once"'));
    equal("freed", only("one", second.unblocked).jobId, start.id);
    equal(
      "position by position",
      (await fixture.claimOne("a")).blockers.map(({ output }) => output),
      ['"twice"', '"once"', '"twice"'],
    );
  },

  "a failing chain at two positions fails its dependent once": async (fixture) => {
    const blocker = await fixture.startOne(job("x"));
    const waiting = await fixture.startOne(job("a", { blockers: [blockedBy(blocker.id), blockedBy(blocker.id)] }));
    const settled = await fixture.settled(failed({ chainId: blocker.id, typeName: "x" }));
    equal("reported once", only("one", settled.failed).jobId, waiting.id);
    await countsAgree(fixture);
  },

  "a blocker that has completed before does not block": async (fixture) => {
    const done = await fixture.completedChain(job("x"), "3");
    const chain = await fixture.startOne(job("a", { blockers: [blockedBy(done.id), blockedBy(done.id, "x")] }));
    equal("ready", only("one job", chain.jobs).status, "ready");
    equal(
      "outputs",
      (await fixture.claimOne("a")).blockers.map(({ output }) => output),
      ["3", "3"],
    );
  },

  "a job waits only for those of its blockers that have not completed": async (fixture) => {
    const done = await fixture.completedChain(job("x"), "1");
    const open = await fixture.startOne(job("y"));
    const chain = await fixture.startOne(job("a", { blockers: [blockedBy(open.id), blockedBy(done.id)] }));
    match("one left", await fixture.job(chain.id), { status: "blocked", blockersLeft: 1 });
    await fixture.settled(completed({ chainId: open.id, typeName: "y" }, "2"));
    equal(
      "outputs",
      (await fixture.claimOne("a")).blockers.map(({ output }) => output),
      ["2", "1"],
    );
  },

  "a scheduled and blocked job is blocked first, then scheduled until its time": async (fixture) => {
    const blocker = await fixture.startOne(job("x"));
    const chain = await fixture.startOne(job("a", { blockers: [blockedBy(blocker.id)], schedule: { afterMs: 1_000 } }));
    equal("blocked", only("one job", chain.jobs).status, "blocked");
    fixture.advance(400);
    const { unblocked } = await fixture.settled(completed({ chainId: blocker.id, typeName: "x" }));
    match("released", only("one", unblocked), { status: "scheduled", dueInMs: 600 });
    match("scheduled", await fixture.job(chain.id), { status: "scheduled", scheduledAt: fixture.now() + 600 });
    equal("not yet", await fixture.claim(["a"]), []);
    fixture.advance(600);
    match("due", await fixture.claimOne("a"), { id: chain.id });
  },

  "a scheduled and blocked job whose time passed while it was blocked is ready at once": async (fixture) => {
    const blocker = await fixture.startOne(job("x"));
    await fixture.startOne(job("a", { blockers: [blockedBy(blocker.id)], schedule: { afterMs: 100 } }));
    fixture.advance(100);
    equal("still blocked", await fixture.claim(["a"]), []);
    const { unblocked } = await fixture.settled(completed({ chainId: blocker.id, typeName: "x" }));
    match("released", only("one", unblocked), { status: "ready", dueInMs: undefined });
    match("claimed", await fixture.claimOne("a"), { waitedMs: 0 });
  },

  "a job with five hundred blockers waits for each": async (fixture) => {
    const inline = Array.from({ length: 500 }, (_, index) => job("x", { input: String(index) }));
    const waiting = await fixture.startOne(job("a", { blockers: inline.map((start) => ({ start })) }));
    match("all are left", await fixture.job(waiting.id), { blockersLeft: 500 });
    for (let batch = 0; batch < 5; batch += 1) {
      match("blocked", await fixture.job(waiting.id), { status: "blocked" });
      const held = await fixture.claim(["x"], { limit: 100 });
      await fixture.store.settle(
        held.map(({ fence, input }) => completed(fence, input)),
        fixture.options(),
      );
    }
    equal(
      "outputs in position order",
      (await fixture.claimOne("a")).blockers.map(({ output }) => output),
      inline.map((start) => start.input),
    );
  },

  "five hundred jobs that wait for one chain become ready with its end, reported in the order of their ids": async (
    fixture,
  ) => {
    const blocker = await fixture.startOne(job("x"));
    const waiting = await fixture.start(
      Array.from({ length: 500 }, () => job("a", { blockers: [blockedBy(blocker.id)] })),
    );
    const { unblocked } = await fixture.settled(completed({ chainId: blocker.id, typeName: "x" }));
    const released = unblocked.map(({ jobId }) => jobId);
    sameMembers(
      "each once",
      released,
      waiting.map(({ id }) => id),
    );
    equal(
      "in id order",
      released,
      released.toSorted((left, right) => (left < right ? -1 : 1)),
    );
    equal(
      "claimed first in, first out",
      (await fixture.claim(["a"], { limit: 500 })).map(({ id }) => id),
      waiting.map(({ id }) => id),
    );
  },
});
