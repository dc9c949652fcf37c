import { equal, match, only, present } from "../check.ts";
import { blockedBy, completed, continued, deferred, errorsText, failed, job, newId } from "./build.ts";
import { rules } from "./group.ts";
import { counts, statuses } from "./listing.ts";
import type { Stage } from "./stage.ts";

/** Chains whose open step stands in each of the ways it can. */
const standings: Readonly<Record<string, (stage: Stage) => Promise<string>>> = {
  ready: async (stage) => (await stage.startOne(job("a"))).id,
  scheduled: async (stage) => (await stage.startOne(job("a", { schedule: { afterMs: 1_000 } }))).id,
  blocked: async (stage) => (await stage.startOne(job("a", { blockers: [{ start: job("x") }] }))).id,
  running: async (stage) => {
    const chain = await stage.startOne(job("a"));
    await stage.claimOne("a");
    return chain.id;
  },
  "due, with nobody who looked": async (stage) => {
    const chain = await stage.startOne(job("a", { schedule: { afterMs: 1_000 } }));
    stage.advance(1_000);
    return chain.id;
  },
  "given back by a worker": async (stage) => {
    const chain = await stage.startOne(job("a"));
    await stage.settled(deferred((await stage.claimOne("a")).fence, { schedule: { afterMs: 10 } }));
    return chain.id;
  },
};

const standingCases = Object.fromEntries(
  Object.entries(standings).flatMap(([standing, arrange]) => [
    [
      `completes the chain from outside while its step is ${standing}`,
      async (stage: Stage) => {
        const chainId = await arrange(stage);
        const reply = await stage.settled(completed({ chainId, typeName: "a" }, '"outside"'));
        match("the reply", reply, { jobId: chainId, chainId, typeName: "a", unblocked: [], failed: [] });
        match("the chain", await stage.chain(chainId), { status: "completed", output: '"outside"' });
        match("the job", await stage.job(chainId), { status: "completed", output: '"outside"', endedAt: stage.now() });
        stage.advance(1_000_000);
        equal("nothing is left to claim", await stage.claim(["a"]), []);
        equal("counted once", (await counts(stage))["a completed"], 1);
      },
    ],
    [
      `continues the chain from outside while its step is ${standing}`,
      async (stage: Stage) => {
        const chainId = await arrange(stage);
        const next = job("b", { input: '"next"' });
        const { started } = await stage.settled(continued({ chainId, typeName: "a" }, next));
        equal("started", started, [{ jobId: next.id, chainId, typeName: "b", status: "ready", dueInMs: undefined }]);
        match("the step", await stage.job(chainId), { status: "completed", nextJobId: next.id });
        stage.advance(1_000_000);
        equal("the step is not claimed", await stage.claim(["a"]), []);
        match("the next one is", await stage.claimOne("b"), { id: next.id, chainId, step: 2, input: '"next"' });
      },
    ],
    [
      `fails the chain from outside while its step is ${standing}`,
      async (stage: Stage) => {
        const chainId = await arrange(stage);
        await stage.settled(failed({ chainId, typeName: "a" }, errorsText("outside")));
        match("the chain", await stage.chain(chainId), { status: "failed", errors: errorsText("outside") });
        stage.advance(1_000_000);
        equal("nothing is left to claim", await stage.claim(["a"]), []);
      },
    ],
  ]),
);

export const openStepStandingCases = rules("open step", standingCases);

export const openStepCases = rules("open step", {
  "refuses a chain that does not exist": async (stage) => {
    const chainId = newId();
    equal("refused", await stage.settle(completed({ chainId, typeName: "a" })), {
      status: "refused",
      refusal: { code: "chain-not-found", id: chainId },
    });
  },

  "refuses a chain that has completed, failed or been cancelled, and says which": async (stage) => {
    const done = await stage.completedChain(job("a"), "1");
    const broken = await stage.startOne(job("a"));
    await stage.settled(failed({ chainId: broken.id, typeName: "a" }));
    const cancelled = await stage.startOne(job("a"));
    await stage.store.cancel([{ chainId: cancelled.id, reason: "no" }], stage.options());
    for (const [chain, status] of [
      [done, "completed"],
      [broken, "failed"],
      [cancelled, "cancelled"],
    ] as const) {
      const outcome = completed({ chainId: chain.id, typeName: "a" }, '"late"');
      equal("refused", await stage.settle(outcome), {
        status: "refused",
        refusal: { code: "chain-not-active", id: chain.id, actual: status },
      });
    }
    equal("untouched", await statuses(stage, [done.id, broken.id, cancelled.id]), ["completed", "failed", "cancelled"]);
    equal("the output too", (await stage.chain(done.id)).output, "1");
  },

  "refuses a step that is not the open one, and says which is": async (stage) => {
    const chain = await stage.startOne(job("a"));
    const target = { chainId: chain.id, typeName: "a" };
    await stage.settled(continued(target, job("b")));
    equal("refused", await stage.settle(completed(target)), {
      status: "refused",
      refusal: { code: "job-type-mismatch", id: chain.id, actual: "b" },
    });
    match("still active", await stage.chain(chain.id), { status: "active" });
    await stage.settled(completed({ chainId: chain.id, typeName: "b" }));
  },

  "one refused outcome leaves the others of its batch": async (stage) => {
    const [one, two] = await stage.start([job("a"), job("a")]);
    const ids = [one?.id ?? "", newId(), two?.id ?? ""];
    const replies = await stage.store.settle(
      ids.map((chainId) => completed({ chainId, typeName: "a" })),
      stage.options(),
    );
    equal(
      "in request order",
      replies.map((reply) => reply.status),
      ["settled", "refused", "settled"],
    );
  },

  "of two outcomes for one step in one batch the first counts": async (stage) => {
    const chain = await stage.startOne(job("a"));
    const target = { chainId: chain.id, typeName: "a" };
    const replies = await stage.store.settle([completed(target, "1"), completed(target, "2")], stage.options());
    equal(
      "replies",
      replies.map((reply) => reply.status),
      ["settled", "refused"],
    );
    equal("the first", (await stage.chain(chain.id)).output, "1");
  },

  "continues twice in one batch, when the second names the step that the first wrote": async (stage) => {
    const chain = await stage.startOne(job("a"));
    const replies = await stage.store.settle(
      [
        continued({ chainId: chain.id, typeName: "a" }, job("b")),
        completed({ chainId: chain.id, typeName: "b" }, '"both"'),
      ],
      stage.options(),
    );
    equal(
      "replies",
      replies.map((reply) => reply.status),
      ["settled", "settled"],
    );
    match("the chain", await stage.chain(chain.id), { status: "completed", output: '"both"' });
  },

  "a blocked step that was completed from outside is left alone when its blocker ends": async (stage) => {
    const blocker = job("x");
    const waiting = await stage.startOne(job("a", { blockers: [{ start: blocker }] }));
    await stage.settled(completed({ chainId: waiting.id, typeName: "a" }, '"outside"'));
    const settled = await stage.settled(failed((await stage.claimOne("x")).fence));
    match("no consequence", settled, { unblocked: [], failed: [] });
    match("the chain", await stage.chain(waiting.id), { status: "completed", output: '"outside"' });
  },

  "a continued blocked step is left alone when its blocker ends": async (stage) => {
    const blocker = job("x");
    const waiting = await stage.startOne(job("a", { blockers: [{ start: blocker }] }));
    const next = job("b");
    await stage.settled(continued({ chainId: waiting.id, typeName: "a" }, next));
    const settled = await stage.settled(completed((await stage.claimOne("x")).fence));
    match("no consequence", settled, { unblocked: [], failed: [] });
    match("the next step", await stage.job(next.id), { status: "ready" });
    equal("one job to claim", (await stage.claim(["a", "b"])).length, 1);
  },

  "frees those who wait for the chain": async (stage) => {
    const blocker = await stage.startOne(job("x"));
    const waiting = await stage.startOne(job("a", { blockers: [blockedBy(blocker.id)] }));
    const { unblocked } = await stage.settled(completed({ chainId: blocker.id, typeName: "x" }, "5"));
    equal("unblocked", only("one", unblocked).jobId, waiting.id);
    equal("its output", present("a blocker", (await stage.claimOne("a")).blockers[0]).output, "5");
  },
});
