import type { Fence, LostReason, Outcome } from "chainwright/adapter";
import { equal, match, present, rejected, rejectsWith } from "../check.ts";
import { completed, continued, deferred, errorsText, failed, job, newId } from "./build.ts";
import type { StateGroup } from "./group.ts";
import { rules } from "./group.ts";
import { everything } from "./listing.ts";
import { accepted } from "./stage.ts";
import type { Held, Stage } from "./stage.ts";

const leaseMs = 1_000;

/** Ways to hand in an outcome: by itself, with others, in a transaction, with a claim. */
const doors: Readonly<Record<string, (stage: Stage, outcome: Outcome) => Promise<unknown>>> = {
  "by settle": async (stage, outcome) => (await stage.store.settle([outcome], stage.options()))[0],
  "with another": async (stage, outcome) => {
    const nowhere = completed({ jobId: newId(), workerId: "worker-1", fence: 1 });
    return (await stage.store.settle([outcome, nowhere], stage.options()))[0];
  },
  "inside a transaction": (stage, outcome) => stage.transact((tx) => stage.settle(outcome, tx)),
  "by exchange": async (stage, outcome) =>
    (await stage.store.exchange({ outcomes: [outcome], claim: undefined }, stage.options())).settled[0],
};

const kinds: Readonly<Record<string, (fence: Fence) => Outcome>> = {
  completed: (fence) => completed(fence, '"late"'),
  continued: (fence) => continued(fence, job("late")),
  failed: (fence) => failed(fence),
  deferred: (fence) => deferred(fence, { errors: errorsText("late"), schedule: { afterMs: 1 } }),
};

/** Ways in which an attempt loses its job, after which the job can be claimed again. */
const losses: Readonly<Record<string, (stage: Stage, held: Held) => Promise<void>>> = {
  "ended with a retry": async (stage, { fence }) => {
    await stage.settled(deferred(fence));
  },
  "rescheduled its job": async (stage, { fence }) => {
    await stage.settled(deferred(fence, { counted: false, schedule: { afterMs: 5 } }));
    stage.advance(5);
  },
  "rescheduled its job, which was triggered": async (stage, { id, fence }) => {
    await stage.settled(deferred(fence, { counted: false, schedule: { afterMs: 5_000 } }));
    accepted("triggered", await stage.store.trigger([id], stage.options()));
  },
  "was given back": async (stage, { fence }) => {
    await stage.settled(deferred(fence, { counted: false }));
  },
  "lost its lease": async (stage) => {
    stage.advance(leaseMs);
  },
  "failed, its chain retried": async (stage, { chainId, fence }) => {
    await stage.settled(failed(fence));
    accepted("retried", await stage.store.retry([again(chainId)], stage.options()));
  },
  "was cancelled, its chain retried": async (stage, { chainId }) => {
    accepted("cancelled", await stage.store.cancel([{ chainId, reason: undefined }], stage.options()));
    accepted("retried", await stage.store.retry([again(chainId)], stage.options()));
  },
  "was ended from outside as failed, its chain retried": async (stage, { chainId, typeName }) => {
    await stage.settled(failed({ chainId, typeName }));
    accepted("retried", await stage.store.retry([again(chainId)], stage.options()));
  },
};

function again(chainId: string) {
  return { chainId, input: undefined, typeName: undefined };
}

function claimedAgain(lose: (stage: Stage, held: Held) => Promise<void>, by: string): Lateness {
  return async (stage) => {
    await stage.startOne(job("a"));
    const held = await stage.claimOne("a", { leaseMs });
    await lose(stage, held);
    await stage.claimOne("a", { workerId: by, leaseMs });
    return { fence: held.fence, reason: "lease-lost" };
  };
}

type Lateness = (stage: Stage) => Promise<{ readonly fence: Fence; readonly reason: LostReason }>;

const lateness: Readonly<Record<string, Lateness>> = {
  ...Object.fromEntries(
    Object.entries(losses).flatMap(([how, lose]) => [
      [`that ${how}, its job claimed by another worker`, claimedAgain(lose, "worker-2")],
      [`that ${how}, its job claimed again by the same worker`, claimedAgain(lose, "worker-1")],
    ]),
  ),
  "that has given the job back": async (stage) => {
    await stage.startOne(job("a"));
    const held = await stage.claimOne("a");
    await stage.settled(deferred(held.fence, { counted: false }));
    return { fence: held.fence, reason: "lease-lost" };
  },
  "that names another worker": async (stage) => {
    await stage.startOne(job("a"));
    const held = await stage.claimOne("a", { workerId: "w-1" });
    return { fence: { ...held.fence, workerId: "w-2" }, reason: "lease-lost" };
  },
  "that names a claim to come": async (stage) => {
    await stage.startOne(job("a"));
    const held = await stage.claimOne("a");
    return { fence: { ...held.fence, fence: 2 }, reason: "lease-lost" };
  },
  "whose chain was cancelled": async (stage) => {
    const chain = await stage.startOne(job("a"));
    const held = await stage.claimOne("a");
    await stage.store.cancel([{ chainId: chain.id, reason: undefined }], stage.options());
    return { fence: held.fence, reason: "cancelled" };
  },
  "whose chain was deleted": async (stage) => {
    const chain = await stage.startOne(job("a"));
    const held = await stage.claimOne("a");
    await stage.store.remove({ chainIds: [chain.id], cascade: false }, stage.options());
    return { fence: held.fence, reason: "cancelled" };
  },
  "whose step was completed from outside": async (stage) => {
    const chain = await stage.startOne(job("a"));
    const held = await stage.claimOne("a");
    await stage.settled(completed({ chainId: chain.id, typeName: "a" }, '"outside"'));
    return { fence: held.fence, reason: "completed-elsewhere" };
  },
  "whose step was continued from outside": async (stage) => {
    const chain = await stage.startOne(job("a"));
    const held = await stage.claimOne("a");
    await stage.settled(continued({ chainId: chain.id, typeName: "a" }, job("b")));
    return { fence: held.fence, reason: "completed-elsewhere" };
  },
  "that has settled already": async (stage) => {
    await stage.startOne(job("a"));
    const held = await stage.claimOne("a");
    await stage.settled(completed(held.fence, '"first"'));
    return { fence: held.fence, reason: "completed-elsewhere" };
  },
  "whose chain failed and was retried": async (stage) => {
    const chain = await stage.startOne(job("a"));
    const held = await stage.claimOne("a");
    await stage.settled(failed(held.fence));
    await stage.store.retry([again(chain.id)], stage.options());
    return { fence: held.fence, reason: "lease-lost" };
  },
  "whose chain was cancelled, retried twice and claimed again by the same worker": async (stage) => {
    const chain = await stage.startOne(job("a"));
    const held = await stage.claimOne("a");
    for (let round = 0; round < 2; round += 1) {
      await stage.store.cancel([{ chainId: chain.id, reason: undefined }], stage.options());
      await stage.store.retry([again(chain.id)], stage.options());
      await stage.claimOne("a");
    }
    return { fence: held.fence, reason: "lease-lost" };
  },
};

function lateCases(): StateGroup["rules"] {
  const all: Record<string, (stage: Stage) => Promise<void>> = {};
  for (const [how, arrange] of Object.entries(lateness)) {
    for (const [kind, build] of Object.entries(kinds)) {
      for (const [door, hand] of Object.entries(doors)) {
        all[`an attempt ${how} writes nothing: ${kind}, ${door}`] = async (stage) => {
          const { fence, reason } = await arrange(stage);
          const before = await everything(stage);
          stage.advance(1);
          equal("told why", await hand(stage, build(fence)), { status: "lost", reason });
          stage.advance(-1);
          equal("nothing is written", await everything(stage), before);
        };
      }
    }
    all[`an attempt ${how} commits nothing in a transaction of its own`] = async (stage) => {
      const { fence: holding, reason } = await arrange(stage);
      const before = await everything(stage);
      let runs = 0;
      const commits = stage.store.transaction(
        async (tx) => {
          runs += 1;
          await stage.startOne(job("late"), tx);
        },
        { holding },
      );
      await rejectsWith("told why", commits, reason);
      equal("it was tried", runs, 1);
      equal("nothing is written", await everything(stage), before);
    };
    all[`an attempt ${how} renews nothing`] = async (stage) => {
      const { fence, reason } = await arrange(stage);
      const before = await everything(stage);
      const { jobId, workerId } = fence;
      const held = [{ jobId, fence: fence.fence, leaseMs: 900_000 }];
      equal("told why", await stage.store.renew({ workerId, held }, stage.options()), [{ fence, reason }]);
      equal("nothing is written", await everything(stage), before);
    };
  }
  return all;
}

export const lateCasesOfFence = rules("fence", lateCases());

export const fenceCases = rules("fence", {
  "every claim of a job has a fence above all before it, whatever became of those": async (stage) => {
    const { id } = await stage.startOne(job("a"));
    const held = [await stage.claimOne("a", { leaseMs })];
    for (const round of [1, 2]) {
      for (const lose of Object.values(losses)) {
        await lose(stage, present("the one before", held.at(-1)));
        held.push(await stage.claimOne("a", { workerId: `worker-${round}`, leaseMs }));
      }
    }
    const fences = held.map(({ fence }) => fence.fence);
    equal(
      "ascending, none twice",
      fences,
      [...new Set(fences)].toSorted((a, b) => a - b),
    );
    equal(
      "attempts are those since the last retry that count",
      held.map(({ attempt }) => attempt),
      [1, 2, 2, 2, 2, 3, 1, 1, 1, 2, 2, 2, 2, 3, 1, 1, 1],
    );
    await stage.settled(completed(present("the last one", held.at(-1)).fence));
    match("the job", await stage.job(id), { status: "completed", attempt: 1 });
  },

  "an attempt whose lease ran out still settles while nobody has claimed the job": async (stage) => {
    const chain = await stage.startOne(job("a"));
    const held = await stage.claimOne("a", { leaseMs: 10 });
    stage.advance(1_000_000);
    // Others look for work of their own meanwhile, which may tidy up.
    await stage.claim(["other"], { workerId: "w-2" });
    await stage.settled(completed(held.fence, "1"));
    equal("completed", (await stage.chain(chain.id)).status, "completed");
  },

  "an attempt commits in a transaction of its own while it holds its job, though its lease ran out": async (stage) => {
    await stage.startOne(job("a"));
    const held = await stage.claimOne("a", { leaseMs });
    for (const waitMs of [0, leaseMs]) {
      stage.advance(waitMs);
      const options = { holding: held.fence };
      const { id } = await stage.store.transaction((tx) => stage.startOne(job("b"), tx), options);
      match("written", await stage.chain(id), { status: "active" });
    }
    await stage.settled(completed(held.fence));
  },

  "a transaction of an attempt that throws is rolled back, and says what was thrown": async (stage) => {
    await stage.startOne(job("a"));
    const { fence: holding } = await stage.claimOne("a");
    const before = await everything(stage);
    const thrown = new Error("changed its mind");
    const commits = stage.store.transaction(
      async (tx) => {
        await stage.startOne(job("b"), tx);
        throw thrown;
      },
      { holding },
    );
    equal("thrown on", await rejected("it rejects", commits), thrown);
    equal("nothing is written", await everything(stage), before);
  },

  "one lost outcome leaves the others of its batch": async (stage) => {
    await stage.start([job("a"), job("a"), job("a")]);
    const [one, two, three] = await stage.claim(["a"]);
    if (one === undefined || two === undefined || three === undefined) throw new Error("three jobs are claimed");
    await stage.settled(completed(two.fence));
    const replies = await stage.store.settle(
      [one, two, three].map(({ fence }) => completed(fence)),
      stage.options(),
    );
    equal(
      "in request order",
      replies.map((reply) => reply.status),
      ["settled", "lost", "settled"],
    );
  },

  "of two outcomes for one attempt in one batch the first counts": async (stage) => {
    const chain = await stage.startOne(job("a"));
    const { fence } = await stage.claimOne("a");
    const replies = await stage.store.settle([completed(fence, "1"), completed(fence, "2")], stage.options());
    equal(
      "replies",
      replies.map((reply) => reply.status),
      ["settled", "lost"],
    );
    equal("the first", (await stage.chain(chain.id)).output, "1");
  },
});
