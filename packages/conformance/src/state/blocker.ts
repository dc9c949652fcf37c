import { equal, match, only, present, sameMembers } from "../check.ts";
import { blockedBy, completed, failed, job, newId } from "./build.ts";
import { rules } from "./group.ts";
import { chains, countsAgree, statuses } from "./listing.ts";
import { accepted, refused } from "./stage.ts";

export const blockerCases = rules("blocker", {
  "a job blocked by an active chain waits until that completes": async (stage) => {
    const blocker = await stage.startOne(job("x"));
    const waiting = await stage.startOne(job("a", { blockers: [blockedBy(blocker.id)] }));
    equal("its job", only("one job", waiting.jobs), {
      jobId: waiting.id,
      chainId: waiting.id,
      typeName: "a",
      status: "blocked",
      dueInMs: undefined,
    });
    match("blocked", await stage.job(waiting.id), { status: "blocked", blockersLeft: 1 });
    equal("not claimed", await stage.claim(["a"]), []);
    const held = await stage.claimOne("x");
    const { unblocked } = await stage.settled(completed(held.fence));
    equal("told", unblocked, [
      { jobId: waiting.id, chainId: waiting.id, typeName: "a", status: "ready", dueInMs: undefined },
    ]);
    match("ready", await stage.job(waiting.id), { status: "ready", blockersLeft: 0 });
    match("claimed", await stage.claimOne("a"), { id: waiting.id });
  },

  "waits for the blocking chain, not for its first step": async (stage) => {
    const blocker = await stage.startOne(job("x"));
    const waiting = await stage.startOne(job("a", { blockers: [blockedBy(blocker.id)] }));
    const first = { chainId: blocker.id, typeName: "x" };
    const { unblocked } = await stage.settled({ target: first, kind: "continued", next: job("y") });
    equal("not yet", unblocked, []);
    match("blocked", await stage.job(waiting.id), { status: "blocked" });
    await stage.settled(completed({ chainId: blocker.id, typeName: "y" }, '"last"'));
    const seen = only("one blocker", (await stage.claimOne("a")).blockers);
    match("the chain's entry type and last output", seen, { typeName: "x", output: '"last"' });
  },

  "an unblocked job takes its place by when it was written, not by when it became ready": async (stage) => {
    const blocker = await stage.startOne(job("x"));
    const blocked = await stage.startOne(job("a", { blockers: [blockedBy(blocker.id)] }));
    const later = await stage.startOne(job("a"));
    await stage.settled(completed({ chainId: blocker.id, typeName: "x" }));
    equal(
      "order",
      (await stage.claim(["a"])).map((held) => held.id),
      [blocked.id, later.id],
    );
  },

  "is claimed in the same exchange that frees it, and has waited since then": async (stage) => {
    const blocker = await stage.startOne(job("x"));
    const waiting = await stage.startOne(job("a", { blockers: [blockedBy(blocker.id)] }));
    const { fence } = await stage.claimOne("x");
    stage.advance(700);
    const reply = await stage.store.exchange(
      {
        outcomes: [completed(fence, "1")],
        claim: { workerId: "w-1", types: [{ typeName: "a", leaseMs: 1_000 }], limit: 5 },
      },
      stage.options(),
    );
    match("claimed", only("one", reply.claimed), { id: waiting.id, waitedMs: 0 });
  },

  "blockers written inline are begun with the job, in the same statement": async (stage) => {
    const inline = job("x", { input: "7" });
    const start = job("a", { blockers: [{ start: inline }] });
    const chain = await stage.startOne(start);
    sameMembers(
      "jobs written",
      chain.jobs.map((written) => `${written.typeName} ${written.status}`),
      ["a blocked", "x ready"],
    );
    match("the blocker is a chain", await stage.chain(inline.id), { status: "active", input: "7" });
    await stage.settled(completed((await stage.claimOne("x")).fence, '"seven"'));
    match("it sees it", only("one blocker", (await stage.claimOne("a")).blockers), {
      chainId: inline.id,
      output: '"seven"',
    });
  },

  "inline blockers have inline blockers, four levels deep": async (stage) => {
    const deepest = job("d");
    const chain = await stage.startOne(
      job("a", {
        blockers: [{ start: job("b", { blockers: [{ start: job("c", { blockers: [{ start: deepest }] }) }] }) }],
      }),
    );
    equal("all written for it", chain.jobs.length, 4);
    equal("the first is its own", chain.jobs[0]?.jobId, chain.id);
    for (const typeName of ["d", "c", "b", "a"]) {
      const held = only("one can run", await stage.claim(["a", "b", "c", "d"]));
      equal("from the bottom up", held.typeName, typeName);
      await stage.settled(completed(held.fence));
    }
    equal("complete", await statuses(stage, [chain.id]), ["completed"]);
  },

  "an inline blocker may be scheduled, prioritised and carry a context": async (stage) => {
    const inline = job("x", { schedule: { afterMs: 100 }, priority: 5, context: "trace" });
    const chain = await stage.startOne(job("a", { blockers: [{ start: inline }] }));
    match("told", present("the blocker's job", chain.jobs[1]), { status: "scheduled", dueInMs: 100 });
    stage.advance(100);
    match("claimed", await stage.claimOne("x"), { priority: 5, context: "trace" });
  },

  "a start may be blocked by a chain started earlier in the same call": async (stage) => {
    const blocker = job("x");
    const [, waiting] = await stage.start([blocker, job("a", { blockers: [blockedBy(blocker.id, "x")] })]);
    equal("blocked", only("one job", waiting?.jobs ?? []).status, "blocked");
    await stage.settled(completed((await stage.claimOne("x")).fence));
    match("freed", await stage.claimOne("a"), { id: waiting?.id });
  },

  "waits for all of its blockers": async (stage) => {
    const blockers = await stage.start([job("x"), job("x"), job("x")]);
    const start = job("a", { blockers: [...blockers.map(({ id }) => blockedBy(id)), { start: job("x") }] });
    await stage.startOne(start);
    const held = await stage.claim(["x"]);
    for (const [index, { fence }] of held.entries()) {
      const { unblocked } = await stage.settled(completed(fence, String(index)));
      equal("freed by the last alone", unblocked.length, index === 3 ? 1 : 0);
    }
    equal(
      "outputs in position order",
      (await stage.claimOne("a")).blockers.map(({ output }) => output),
      ["0", "1", "2", "3"],
    );
  },

  "is freed by one batch that ends all of its blockers, once": async (stage) => {
    const inline = Array.from({ length: 20 }, () => job("x"));
    const waiting = await stage.startOne(job("a", { blockers: inline.map((start) => ({ start })) }));
    const held = await stage.claim(["x"]);
    const replies = await stage.store.settle(
      held.map(({ fence }) => completed(fence)),
      stage.options(),
    );
    const unblocked = replies.flatMap((reply) => (reply.status === "settled" ? reply.unblocked : []));
    equal("told once", only("one", unblocked).jobId, waiting.id);
    match("ready", await stage.job(waiting.id), { status: "ready", blockersLeft: 0 });
  },

  "the same chain at two positions: waits for it, runs once, sees it twice": async (stage) => {
    const [twice, once] = await stage.start([job("x"), job("y")]);
    const ids = [twice?.id ?? "", once?.id ?? ""] as const;
    const start = job("a", { blockers: [blockedBy(ids[0]), blockedBy(ids[1]), blockedBy(ids[0])] });
    await stage.startOne(start);
    const first = await stage.settled(completed({ chainId: ids[0], typeName: "x" }, '"twice"'));
    equal("not yet", first.unblocked, []);
    equal("not claimed", await stage.claim(["a"]), []);
    const second = await stage.settled(completed({ chainId: ids[1], typeName: "y" }, '"once"'));
    equal("freed", only("one", second.unblocked).jobId, start.id);
    equal(
      "position by position",
      (await stage.claimOne("a")).blockers.map(({ output }) => output),
      ['"twice"', '"once"', '"twice"'],
    );
  },

  "a failing chain at two positions fails its dependent once": async (stage) => {
    const blocker = await stage.startOne(job("x"));
    const waiting = await stage.startOne(job("a", { blockers: [blockedBy(blocker.id), blockedBy(blocker.id)] }));
    const settled = await stage.settled(failed({ chainId: blocker.id, typeName: "x" }));
    equal("told once", only("one", settled.failed).jobId, waiting.id);
    await countsAgree(stage);
  },

  "a blocker that completed before is satisfied at once": async (stage) => {
    const done = await stage.completedChain(job("x"), "3");
    const chain = await stage.startOne(job("a", { blockers: [blockedBy(done.id), blockedBy(done.id, "x")] }));
    equal("ready", only("one job", chain.jobs).status, "ready");
    equal(
      "outputs",
      (await stage.claimOne("a")).blockers.map(({ output }) => output),
      ["3", "3"],
    );
  },

  "of blockers that completed and ones that did not, only the latter are waited for": async (stage) => {
    const done = await stage.completedChain(job("x"), "1");
    const open = await stage.startOne(job("y"));
    const chain = await stage.startOne(job("a", { blockers: [blockedBy(open.id), blockedBy(done.id)] }));
    match("one left", await stage.job(chain.id), { status: "blocked", blockersLeft: 1 });
    await stage.settled(completed({ chainId: open.id, typeName: "y" }, "2"));
    equal(
      "outputs",
      (await stage.claimOne("a")).blockers.map(({ output }) => output),
      ["2", "1"],
    );
  },

  "a scheduled and blocked job is blocked first, then scheduled while its time is ahead": async (stage) => {
    const blocker = await stage.startOne(job("x"));
    const chain = await stage.startOne(job("a", { blockers: [blockedBy(blocker.id)], schedule: { afterMs: 1_000 } }));
    equal("blocked", only("one job", chain.jobs).status, "blocked");
    stage.advance(400);
    const { unblocked } = await stage.settled(completed({ chainId: blocker.id, typeName: "x" }));
    match("told", only("one", unblocked), { status: "scheduled", dueInMs: 600 });
    match("scheduled", await stage.job(chain.id), { status: "scheduled", scheduledAt: stage.now() + 600 });
    equal("not yet", await stage.claim(["a"]), []);
    stage.advance(600);
    match("due", await stage.claimOne("a"), { id: chain.id });
  },

  "a scheduled and blocked job whose time passed while it was blocked is ready at once": async (stage) => {
    const blocker = await stage.startOne(job("x"));
    await stage.startOne(job("a", { blockers: [blockedBy(blocker.id)], schedule: { afterMs: 100 } }));
    stage.advance(100);
    equal("still blocked", await stage.claim(["a"]), []);
    const { unblocked } = await stage.settled(completed({ chainId: blocker.id, typeName: "x" }));
    match("told", only("one", unblocked), { status: "ready", dueInMs: undefined });
    match("claimed", await stage.claimOne("a"), { waitedMs: 0 });
  },

  "refuses a blocker that does not exist": async (stage) => {
    const missing = newId();
    const [reply] = await stage.store.start(
      [{ starts: [job("a", { blockers: [blockedBy(missing)] })] }],
      stage.options(),
    );
    match("refusal", refused("refused", present("a reply", reply)), { code: "chain-not-found", id: missing });
    equal("nothing is written", await chains(stage), []);
  },

  "refuses a blocker that was deleted": async (stage) => {
    const gone = await stage.completedChain(job("x"));
    accepted("deleted", await stage.store.remove({ chainIds: [gone.id], cascade: false }, stage.options()));
    const [reply] = await stage.store.start(
      [{ starts: [job("a", { blockers: [blockedBy(gone.id)] })] }],
      stage.options(),
    );
    match("refusal", refused("refused", present("a reply", reply)), { code: "chain-not-found", id: gone.id });
  },

  "refuses as blocker the id of a later step: it is no chain": async (stage) => {
    const chain = await stage.startOne(job("x"));
    const next = job("y");
    await stage.settled({ target: { chainId: chain.id, typeName: "x" }, kind: "continued", next });
    const [reply] = await stage.store.start(
      [{ starts: [job("a", { blockers: [blockedBy(next.id)] })] }],
      stage.options(),
    );
    match("refusal", refused("refused", present("a reply", reply)), { code: "chain-not-found", id: next.id });
  },

  "refuses a blocker of another entry type than the caller believes": async (stage) => {
    const blocker = await stage.startOne(job("x"));
    await stage.settled({ target: { chainId: blocker.id, typeName: "x" }, kind: "continued", next: job("y") });
    const [reply] = await stage.store.start(
      [{ starts: [job("a", { blockers: [blockedBy(blocker.id, "y")] })] }],
      stage.options(),
    );
    equal("refusal", refused("refused", present("a reply", reply)), {
      code: "job-type-mismatch",
      id: blocker.id,
      actual: "x",
    });
    await stage.startOne(job("a", { blockers: [blockedBy(blocker.id, "x")] }));
  },

  "a job with five hundred blockers waits for each": async (stage) => {
    const inline = Array.from({ length: 500 }, (_, index) => job("x", { input: String(index) }));
    const waiting = await stage.startOne(job("a", { blockers: inline.map((start) => ({ start })) }));
    match("all are left", await stage.job(waiting.id), { blockersLeft: 500 });
    for (let batch = 0; batch < 5; batch += 1) {
      match("blocked", await stage.job(waiting.id), { status: "blocked" });
      const held = await stage.claim(["x"], { limit: 100 });
      await stage.store.settle(
        held.map(({ fence, input }) => completed(fence, input)),
        stage.options(),
      );
    }
    equal(
      "outputs in position order",
      (await stage.claimOne("a")).blockers.map(({ output }) => output),
      inline.map((start) => start.input),
    );
  },

  "five hundred jobs that wait for one chain become ready with its end, told in the order of their ids": async (
    stage,
  ) => {
    const blocker = await stage.startOne(job("x"));
    const waiting = await stage.start(
      Array.from({ length: 500 }, () => job("a", { blockers: [blockedBy(blocker.id)] })),
    );
    const { unblocked } = await stage.settled(completed({ chainId: blocker.id, typeName: "x" }));
    const told = unblocked.map(({ jobId }) => jobId);
    sameMembers(
      "each once",
      told,
      waiting.map(({ id }) => id),
    );
    equal(
      "in id order",
      told,
      told.toSorted((left, right) => (left < right ? -1 : 1)),
    );
    equal(
      "claimed first in, first out",
      (await stage.claim(["a"], { limit: 500 })).map(({ id }) => id),
      waiting.map(({ id }) => id),
    );
  },
});
