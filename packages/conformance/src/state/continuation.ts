import { equal, match, only, present, sameMembers } from "../check.ts";
import { blockedBy, completed, continued, failed, job, newId } from "./build.ts";
import { rules } from "./group.ts";
import { everything, jobs, statuses } from "./listing.ts";

export const continuationCases = rules("continuation", {
  "ends the step and writes the next one": async (fixture) => {
    const chain = await fixture.startOne(job("a", { input: '"first"' }));
    const held = await fixture.claimOne("a", { workerId: "w-7" });
    fixture.advance(20);
    const next = job("b", { input: '"second"', priority: 4 });
    const settled = await fixture.settled(continued(held.fence, next));
    match("the reply", settled, {
      jobId: chain.id,
      chainId: chain.id,
      typeName: "a",
      started: [{ jobId: next.id, chainId: chain.id, typeName: "b", status: "ready", dueInMs: undefined }],
      unblocked: [],
      failed: [],
      reblocked: [],
    });
    match("the step", await fixture.job(chain.id), {
      status: "completed",
      nextJobId: next.id,
      output: undefined,
      endedAt: fixture.now(),
      leasedBy: "w-7",
    });
    match("the next one", await fixture.job(next.id), {
      chainId: chain.id,
      typeName: "b",
      step: 2,
      status: "ready",
      priority: 4,
      input: '"second"',
      attempt: 0,
      createdAt: fixture.now(),
      nextJobId: undefined,
    });
    match("the chain", await fixture.chain(chain.id), {
      typeName: "a",
      status: "active",
      input: '"first"',
      output: undefined,
      endedAt: undefined,
    });
  },

  "a chain's output is that of its last step": async (fixture) => {
    const chain = await fixture.startOne(job("a"));
    await fixture.settled(continued((await fixture.claimOne("a")).fence, job("b")));
    await fixture.settled(continued((await fixture.claimOne("b")).fence, job("c")));
    fixture.advance(9);
    const settled = await fixture.settled(completed((await fixture.claimOne("c")).fence, '"end"'));
    equal("the reply names the chain", settled.chainId, chain.id);
    match("the chain", await fixture.chain(chain.id), {
      typeName: "a",
      status: "completed",
      output: '"end"',
      endedAt: fixture.now(),
    });
    const [first] = await fixture.store.getJobs([chain.id], fixture.options());
    match("its first step has none", first, { status: "completed", output: undefined });
  },

  "a step can continue with its own type a hundred times": async (fixture) => {
    const chain = await fixture.startOne(job("loop", { input: "0" }));
    for (let round = 1; round <= 100; round += 1) {
      const held = await fixture.claimOne("loop");
      match("the step", held, { chainId: chain.id, step: round, input: String(round - 1), attempt: 1 });
      await fixture.settled(continued(held.fence, job("loop", { input: String(round) })));
    }
    await fixture.settled(completed((await fixture.claimOne("loop")).fence, '"round"'));
    match("the chain", await fixture.chain(chain.id), { status: "completed", output: '"round"' });
    const steps = (await jobs(fixture, { chainId: chain.id })).map((record) => record.step);
    equal(
      "one job a step",
      steps.toSorted((left, right) => left - right),
      Array.from({ length: 101 }, (_, index) => index + 1),
    );
  },

  "steps of several types can continue with one type": async (fixture) => {
    const left = await fixture.startOne(job("left"));
    const right = await fixture.startOne(job("right"));
    for (const typeName of ["left", "right"]) {
      const held = await fixture.claimOne(typeName);
      await fixture.settled(continued(held.fence, job("merged", { input: JSON.stringify(typeName) })));
    }
    const merged = await fixture.claim(["merged"]);
    equal(
      "each in its own chain",
      merged.map((held) => [held.chainId, held.input]),
      [
        [left.id, '"left"'],
        [right.id, '"right"'],
      ],
    );
  },

  "the next step is queued at the time when it is written": async (fixture) => {
    const one = await fixture.startOne(job("a"));
    const two = await fixture.startOne(job("b"));
    const next = job("b");
    await fixture.settled(continued((await fixture.claimOne("a")).fence, next));
    const three = await fixture.startOne(job("b"));
    equal(
      "order",
      (await fixture.claim(["b"])).map((held) => held.chainId),
      [two.id, one.id, three.id],
    );
  },

  "the next steps of a batch are queued in the order of its outcomes": async (fixture) => {
    await fixture.start([job("a"), job("a"), job("a")]);
    const held = await fixture.claim(["a"]);
    await fixture.store.settle(
      held.toReversed().map(({ fence }, index) => continued(fence, job("b", { input: String(index) }))),
      fixture.options(),
    );
    equal(
      "order",
      (await fixture.claim(["b"])).map(({ input }) => input),
      ["0", "1", "2"],
    );
  },

  "the next step can be claimed in the exchange that writes it": async (fixture) => {
    await fixture.startOne(job("a"));
    const { fence } = await fixture.claimOne("a");
    const next = job("b");
    const reply = await fixture.store.exchange(
      {
        outcomes: [continued(fence, next)],
        claim: { workerId: "w-1", types: [{ typeName: "b", leaseMs: 1_000 }], limit: 1 },
      },
      fixture.options(),
    );
    equal(
      "claimed",
      reply.claimed.map((claimed) => [claimed.id, claimed.attempt]),
      [[next.id, 1]],
    );
  },

  "the next step can be scheduled": async (fixture) => {
    await fixture.startOne(job("a"));
    const next = job("b", { schedule: { afterMs: 500 } });
    const { started } = await fixture.settled(continued((await fixture.claimOne("a")).fence, next));
    match("started", only("one", started), { status: "scheduled", dueInMs: 500 });
    equal("not yet", await fixture.claim(["b"]), []);
    fixture.advance(500);
    match("due", await fixture.claimOne("b"), { id: next.id, waitedMs: 0 });
  },

  "the next step can be blocked by existing chains and by chains started with it": async (fixture) => {
    const chain = await fixture.startOne(job("a"));
    const outer = await fixture.startOne(job("x"));
    const inline = job("y");
    const next = job("b", { blockers: [{ start: inline }, blockedBy(outer.id, "x")] });
    const { started } = await fixture.settled(continued((await fixture.claimOne("a")).fence, next));
    equal("the next step first", started[0], {
      jobId: next.id,
      chainId: chain.id,
      typeName: "b",
      status: "blocked",
      dueInMs: undefined,
    });
    equal(
      "then the blockers begun",
      started.slice(1).map(({ jobId, status }) => [jobId, status]),
      [[inline.id, "ready"]],
    );
    await fixture.settled(completed((await fixture.claimOne("x")).fence, '"outer"'));
    await fixture.settled(completed((await fixture.claimOne("y")).fence, '"inline"'));
    equal(
      "its blockers, in position order",
      (await fixture.claimOne("b")).blockers.map(({ output }) => output),
      ['"inline"', '"outer"'],
    );
  },

  "a next step whose blocker has failed is written as failed, and fails its chain and the dependents": async (
    fixture,
  ) => {
    const bad = await fixture.startOne(job("x"));
    await fixture.settled(failed({ chainId: bad.id, typeName: "x" }));
    const chain = await fixture.startOne(job("a"));
    const waiting = await fixture.startOne(job("c", { blockers: [blockedBy(chain.id)] }));
    const next = job("b", { blockers: [blockedBy(bad.id)] });
    const settled = await fixture.settled(continued((await fixture.claimOne("a")).fence, next));
    match("the next step", only("one started", settled.started), { jobId: next.id, status: "failed" });
    equal(
      "the dependents",
      settled.failed.map(({ chainId }) => chainId),
      [waiting.id],
    );
    equal("all failed", await statuses(fixture, [chain.id, waiting.id]), ["failed", "failed"]);
    match("the step that continued", await fixture.job(chain.id), { status: "completed", nextJobId: next.id });
  },

  "a refused continuation writes nothing: the attempt keeps its job, and the other outcomes settle": async (
    fixture,
  ) => {
    const taken = await fixture.startOne(job("z"));
    const missing = newId();
    const inline = job("y");
    const refusals = [
      [job("b", { id: taken.id }), { code: "duplicate-id", id: taken.id }],
      [job("b", { blockers: [{ start: inline }, blockedBy(missing)] }), { code: "chain-not-found", id: missing }],
      [job("b", { blockers: [blockedBy(taken.id, "w")] }), { code: "job-type-mismatch", id: taken.id, actual: "z" }],
    ] as const;
    for (const [next, refusal] of refusals) {
      await fixture.start([job("a"), job("a"), job("a")]);
      const [one, two, three] = await fixture.claim(["a"]);
      const held = [one, two, three].map((item) => present("three are claimed", item));
      const before = await everything(fixture);
      const alone = await fixture.settle(continued(present("the second", held[1]).fence, next));
      equal("refused alone", alone, { status: "refused", refusal });
      equal("nothing is written", await everything(fixture), before);
      const replies = await fixture.store.settle(
        held.map(({ fence }, index) => (index === 1 ? continued(fence, next) : completed(fence))),
        fixture.options(),
      );
      equal(
        "the others are settled",
        replies.map(({ status }) => status),
        ["settled", "refused", "settled"],
      );
      await fixture.settled(completed(present("the second", held[1]).fence));
    }
    equal("the inline blocker was not begun", await statuses(fixture, [inline.id]), [undefined]);
  },

  "the next step cannot take its own chain's id": async (fixture) => {
    const chain = await fixture.startOne(job("a"));
    const { fence } = await fixture.claimOne("a");
    equal("refused", await fixture.settle(continued(fence, job("b", { id: chain.id }))), {
      status: "refused",
      refusal: { code: "duplicate-id", id: chain.id },
    });
    match("still its own", await fixture.job(chain.id), { status: "running" });
  },

  "two next steps in one batch cannot take one id": async (fixture) => {
    const [one, two] = await fixture.start([job("a"), job("a")]);
    const held = await fixture.claim(["a"]);
    const id = newId();
    const replies = await fixture.store.settle(
      held.map(({ fence }) => continued(fence, job("b", { id }))),
      fixture.options(),
    );
    equal(
      "replies",
      replies.map(({ status }) => status),
      ["settled", "refused"],
    );
    match("the first", await fixture.job(id), { chainId: one?.id });
    match("the second still runs", await fixture.job(two?.id ?? ""), { status: "running" });
  },

  "leaves one open job in the chain": async (fixture) => {
    const chain = await fixture.startOne(job("a"));
    for (const typeName of ["a", "b", "c"]) {
      await fixture.settled(continued((await fixture.claimOne(typeName)).fence, job(typeName === "a" ? "b" : "c")));
    }
    const open = (await jobs(fixture, { chainId: chain.id })).filter((record) => record.status !== "completed");
    match("the open one", only("one open job", open), { typeName: "c", step: 4 });
    const all = await jobs(fixture, { chainId: chain.id });
    sameMembers(
      "each but the last names its successor",
      all.flatMap((record) => record.nextJobId ?? []),
      all.filter((record) => record.step > 1).map((record) => record.id),
    );
  },
});
