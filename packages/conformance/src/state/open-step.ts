import { equal, match, only, present } from "../check.ts";
import { blockedBy, completed, continued, deferred, errorsText, failed, job, newId } from "./build.ts";
import { rules } from "./group.ts";
import { counts, statuses } from "./listing.ts";
import type { StateFixture } from "./fixture.ts";

/** Chains with an open step, one for each state that the step can be in. */
const states: Readonly<Record<string, (fixture: StateFixture) => Promise<string>>> = {
  ready: async (fixture) => (await fixture.startOne(job("a"))).id,
  scheduled: async (fixture) => (await fixture.startOne(job("a", { schedule: { afterMs: 1_000 } }))).id,
  blocked: async (fixture) => (await fixture.startOne(job("a", { blockers: [{ start: job("x") }] }))).id,
  running: async (fixture) => {
    const chain = await fixture.startOne(job("a"));
    await fixture.claimOne("a");
    return chain.id;
  },
  "due, and not claimed": async (fixture) => {
    const chain = await fixture.startOne(job("a", { schedule: { afterMs: 1_000 } }));
    fixture.advance(1_000);
    return chain.id;
  },
  "given back by a worker": async (fixture) => {
    const chain = await fixture.startOne(job("a"));
    await fixture.settled(deferred((await fixture.claimOne("a")).fence, { schedule: { afterMs: 10 } }));
    return chain.id;
  },
};

const stateCases = Object.fromEntries(
  Object.entries(states).flatMap(([state, arrange]) => [
    [
      `completes the chain from outside while its step is ${state}`,
      async (fixture: StateFixture) => {
        const chainId = await arrange(fixture);
        const reply = await fixture.settled(completed({ chainId, typeName: "a" }, '"outside"'));
        match("the reply", reply, { jobId: chainId, chainId, typeName: "a", unblocked: [], failed: [] });
        match("the chain", await fixture.chain(chainId), { status: "completed", output: '"outside"' });
        match("the job", await fixture.job(chainId), {
          status: "completed",
          output: '"outside"',
          endedAt: fixture.now(),
        });
        fixture.advance(1_000_000);
        equal("nothing is left to claim", await fixture.claim(["a"]), []);
        equal("counted once", (await counts(fixture))["a completed"], 1);
      },
    ],
    [
      `continues the chain from outside while its step is ${state}`,
      async (fixture: StateFixture) => {
        const chainId = await arrange(fixture);
        const next = job("b", { input: '"next"' });
        const { started } = await fixture.settled(continued({ chainId, typeName: "a" }, next));
        equal("started", started, [{ jobId: next.id, chainId, typeName: "b", status: "ready", dueInMs: undefined }]);
        match("the step", await fixture.job(chainId), { status: "completed", nextJobId: next.id });
        fixture.advance(1_000_000);
        equal("the step is not claimed", await fixture.claim(["a"]), []);
        match("the next one is", await fixture.claimOne("b"), { id: next.id, chainId, step: 2, input: '"next"' });
      },
    ],
    [
      `fails the chain from outside while its step is ${state}`,
      async (fixture: StateFixture) => {
        const chainId = await arrange(fixture);
        await fixture.settled(failed({ chainId, typeName: "a" }, errorsText("outside")));
        match("the chain", await fixture.chain(chainId), { status: "failed", errors: errorsText("outside") });
        fixture.advance(1_000_000);
        equal("nothing is left to claim", await fixture.claim(["a"]), []);
      },
    ],
  ]),
);

export const openStepStateCases = rules("open step", stateCases);

export const openStepCases = rules("open step", {
  "refuses a chain that does not exist": async (fixture) => {
    const chainId = newId();
    equal("refused", await fixture.settle(completed({ chainId, typeName: "a" })), {
      status: "refused",
      refusal: { code: "chain-not-found", id: chainId },
    });
  },

  "refuses a chain that has completed, failed or been cancelled, and names its status": async (fixture) => {
    const done = await fixture.completedChain(job("a"), "1");
    const broken = await fixture.startOne(job("a"));
    await fixture.settled(failed({ chainId: broken.id, typeName: "a" }));
    const cancelled = await fixture.startOne(job("a"));
    await fixture.store.cancel([{ chainId: cancelled.id, reason: "no" }], fixture.options());
    for (const [chain, status] of [
      [done, "completed"],
      [broken, "failed"],
      [cancelled, "cancelled"],
    ] as const) {
      const outcome = completed({ chainId: chain.id, typeName: "a" }, '"late"');
      equal("refused", await fixture.settle(outcome), {
        status: "refused",
        refusal: { code: "chain-not-active", id: chain.id, actual: status },
      });
    }
    equal("untouched", await statuses(fixture, [done.id, broken.id, cancelled.id]), [
      "completed",
      "failed",
      "cancelled",
    ]);
    equal("the output too", (await fixture.chain(done.id)).output, "1");
  },

  "refuses a step that is not open, and names the open one": async (fixture) => {
    const chain = await fixture.startOne(job("a"));
    const target = { chainId: chain.id, typeName: "a" };
    await fixture.settled(continued(target, job("b")));
    equal("refused", await fixture.settle(completed(target)), {
      status: "refused",
      refusal: { code: "job-type-mismatch", id: chain.id, actual: "b" },
    });
    match("still active", await fixture.chain(chain.id), { status: "active" });
    await fixture.settled(completed({ chainId: chain.id, typeName: "b" }));
  },

  "one refused outcome leaves the others of its batch": async (fixture) => {
    const [one, two] = await fixture.start([job("a"), job("a")]);
    const ids = [one?.id ?? "", newId(), two?.id ?? ""];
    const replies = await fixture.store.settle(
      ids.map((chainId) => completed({ chainId, typeName: "a" })),
      fixture.options(),
    );
    equal(
      "in request order",
      replies.map((reply) => reply.status),
      ["settled", "refused", "settled"],
    );
  },

  "of two outcomes for one step in one batch the first counts": async (fixture) => {
    const chain = await fixture.startOne(job("a"));
    const target = { chainId: chain.id, typeName: "a" };
    const replies = await fixture.store.settle([completed(target, "1"), completed(target, "2")], fixture.options());
    equal(
      "replies",
      replies.map((reply) => reply.status),
      ["settled", "refused"],
    );
    equal("the first", (await fixture.chain(chain.id)).output, "1");
  },

  "continues twice in one batch, when the second names the step that the first wrote": async (fixture) => {
    const chain = await fixture.startOne(job("a"));
    const replies = await fixture.store.settle(
      [
        continued({ chainId: chain.id, typeName: "a" }, job("b")),
        completed({ chainId: chain.id, typeName: "b" }, '"both"'),
      ],
      fixture.options(),
    );
    equal(
      "replies",
      replies.map((reply) => reply.status),
      ["settled", "settled"],
    );
    match("the chain", await fixture.chain(chain.id), { status: "completed", output: '"both"' });
  },

  "a blocked step that was completed from outside is left alone when its blocker ends": async (fixture) => {
    const blocker = job("x");
    const waiting = await fixture.startOne(job("a", { blockers: [{ start: blocker }] }));
    await fixture.settled(completed({ chainId: waiting.id, typeName: "a" }, '"outside"'));
    const settled = await fixture.settled(failed((await fixture.claimOne("x")).fence));
    match("no consequence", settled, { unblocked: [], failed: [] });
    match("the chain", await fixture.chain(waiting.id), { status: "completed", output: '"outside"' });
  },

  "a continued blocked step is left alone when its blocker ends": async (fixture) => {
    const blocker = job("x");
    const waiting = await fixture.startOne(job("a", { blockers: [{ start: blocker }] }));
    const next = job("b");
    await fixture.settled(continued({ chainId: waiting.id, typeName: "a" }, next));
    const settled = await fixture.settled(completed((await fixture.claimOne("x")).fence));
    match("no consequence", settled, { unblocked: [], failed: [] });
    match("the next step", await fixture.job(next.id), { status: "ready" });
    equal("one job to claim", (await fixture.claim(["a", "b"])).length, 1);
  },

  "releases the jobs that wait for the chain": async (fixture) => {
    const blocker = await fixture.startOne(job("x"));
    const waiting = await fixture.startOne(job("a", { blockers: [blockedBy(blocker.id)] }));
    const { unblocked } = await fixture.settled(completed({ chainId: blocker.id, typeName: "x" }, "5"));
    equal("unblocked", only("one", unblocked).jobId, waiting.id);
    equal("its output", present("a blocker", (await fixture.claimOne("a")).blockers[0]).output, "5");
  },
});
