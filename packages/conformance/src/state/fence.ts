import type { Fence, LostReason, Outcome } from "chainwright/adapter";
import { equal, match, present, rejected, rejectsWith } from "../check.ts";
import { completed, continued, deferred, errorsText, failed, job, newId } from "./build.ts";
import type { StateGroup } from "./group.ts";
import { rules } from "./group.ts";
import { everything } from "./listing.ts";
import { again, leaseMs, losses } from "./losses.ts";
import type { Held, StateFixture } from "./fixture.ts";

/** Ways to hand in an outcome: by itself, with others, in a transaction, with a claim. */
const doors: Readonly<Record<string, (fixture: StateFixture, outcome: Outcome) => Promise<unknown>>> = {
  "by settle": async (fixture, outcome) => (await fixture.store.settle([outcome], fixture.options()))[0],
  "in one batch with another": async (fixture, outcome) => {
    const nowhere = completed({ jobId: newId(), workerId: "worker-1", fence: 1 });
    return (await fixture.store.settle([outcome, nowhere], fixture.options()))[0];
  },
  "in one batch with a continuation": async (fixture, outcome) => {
    const nowhere = continued({ jobId: newId(), workerId: "worker-1", fence: 1 }, job("late"));
    return (await fixture.store.settle([outcome, nowhere], fixture.options()))[0];
  },
  "inside a transaction": (fixture, outcome) => fixture.transact((tx) => fixture.settle(outcome, tx)),
  "by exchange": async (fixture, outcome) =>
    (await fixture.store.exchange({ outcomes: [outcome], claim: undefined }, fixture.options())).settled[0],
};

const kinds: Readonly<Record<string, (fence: Fence) => Outcome>> = {
  completed: (fence) => completed(fence, '"late"'),
  continued: (fence) => continued(fence, job("late")),
  failed: (fence) => failed(fence),
  deferred: (fence) => deferred(fence, { errors: errorsText("late"), schedule: { afterMs: 1 } }),
};

function claimedAgain(lose: (fixture: StateFixture, held: Held) => Promise<void>, by: string): Lateness {
  return async (fixture) => {
    await fixture.startOne(job("a"));
    const held = await fixture.claimOne("a", { leaseMs });
    await lose(fixture, held);
    await fixture.claimOne("a", { workerId: by, leaseMs });
    return { fence: held.fence, reason: "lease-lost" };
  };
}

type Lateness = (fixture: StateFixture) => Promise<{ readonly fence: Fence; readonly reason: LostReason }>;

const lateness: Readonly<Record<string, Lateness>> = {
  ...Object.fromEntries(
    Object.entries(losses).flatMap(([how, lose]) => [
      [`that ${how}, its job claimed by another worker`, claimedAgain(lose, "worker-2")],
      [`that ${how}, its job claimed again by the same worker`, claimedAgain(lose, "worker-1")],
    ]),
  ),
  "that has given the job back": async (fixture) => {
    await fixture.startOne(job("a"));
    const held = await fixture.claimOne("a");
    await fixture.settled(deferred(held.fence, { counted: false }));
    return { fence: held.fence, reason: "lease-lost" };
  },
  "that names another worker": async (fixture) => {
    await fixture.startOne(job("a"));
    const held = await fixture.claimOne("a", { workerId: "w-1" });
    return { fence: { ...held.fence, workerId: "w-2" }, reason: "lease-lost" };
  },
  "that names a claim to come": async (fixture) => {
    await fixture.startOne(job("a"));
    const held = await fixture.claimOne("a");
    return { fence: { ...held.fence, fence: 2 }, reason: "lease-lost" };
  },
  "whose chain was cancelled": async (fixture) => {
    const chain = await fixture.startOne(job("a"));
    const held = await fixture.claimOne("a");
    await fixture.store.cancel([{ chainId: chain.id, reason: undefined }], fixture.options());
    return { fence: held.fence, reason: "cancelled" };
  },
  "whose chain was deleted": async (fixture) => {
    const chain = await fixture.startOne(job("a"));
    const held = await fixture.claimOne("a");
    await fixture.store.remove({ chainIds: [chain.id], cascade: false }, fixture.options());
    return { fence: held.fence, reason: "cancelled" };
  },
  "whose step was completed from outside": async (fixture) => {
    const chain = await fixture.startOne(job("a"));
    const held = await fixture.claimOne("a");
    await fixture.settled(completed({ chainId: chain.id, typeName: "a" }, '"outside"'));
    return { fence: held.fence, reason: "completed-elsewhere" };
  },
  "whose step was continued from outside": async (fixture) => {
    const chain = await fixture.startOne(job("a"));
    const held = await fixture.claimOne("a");
    await fixture.settled(continued({ chainId: chain.id, typeName: "a" }, job("b")));
    return { fence: held.fence, reason: "completed-elsewhere" };
  },
  "that has settled already": async (fixture) => {
    await fixture.startOne(job("a"));
    const held = await fixture.claimOne("a");
    await fixture.settled(completed(held.fence, '"first"'));
    return { fence: held.fence, reason: "completed-elsewhere" };
  },
  "whose chain failed and was retried": async (fixture) => {
    const chain = await fixture.startOne(job("a"));
    const held = await fixture.claimOne("a");
    await fixture.settled(failed(held.fence));
    await fixture.store.retry([again(chain.id)], fixture.options());
    return { fence: held.fence, reason: "lease-lost" };
  },
  "whose chain was cancelled, retried twice and claimed again by the same worker": async (fixture) => {
    const chain = await fixture.startOne(job("a"));
    const held = await fixture.claimOne("a");
    for (let round = 0; round < 2; round += 1) {
      await fixture.store.cancel([{ chainId: chain.id, reason: undefined }], fixture.options());
      await fixture.store.retry([again(chain.id)], fixture.options());
      await fixture.claimOne("a");
    }
    return { fence: held.fence, reason: "lease-lost" };
  },
};

function lateCases(): StateGroup["rules"] {
  const all: Record<string, (fixture: StateFixture) => Promise<void>> = {};
  for (const [how, arrange] of Object.entries(lateness)) {
    for (const [kind, build] of Object.entries(kinds)) {
      for (const [door, hand] of Object.entries(doors)) {
        all[`an attempt ${how} writes nothing: ${kind}, ${door}`] = async (fixture) => {
          const { fence, reason } = await arrange(fixture);
          const before = await everything(fixture);
          fixture.advance(1);
          equal("the reason is reported", await hand(fixture, build(fence)), { status: "lost", reason });
          fixture.advance(-1);
          equal("nothing is written", await everything(fixture), before);
        };
      }
    }
    all[`an attempt ${how} commits nothing in a transaction of its own`] = async (fixture) => {
      const { fence: holding, reason } = await arrange(fixture);
      const before = await everything(fixture);
      let runs = 0;
      const commits = fixture.store.transaction(
        async (tx) => {
          runs += 1;
          await fixture.startOne(job("late"), tx);
        },
        { holding },
      );
      await rejectsWith("the reason is reported", commits, reason);
      equal("it was tried", runs, 1);
      equal("nothing is written", await everything(fixture), before);
    };
    all[`an attempt ${how} renews nothing`] = async (fixture) => {
      const { fence, reason } = await arrange(fixture);
      const before = await everything(fixture);
      const { jobId, workerId } = fence;
      const held = [{ jobId, fence: fence.fence, leaseMs: 900_000 }];
      equal("the reason is reported", await fixture.store.renew({ workerId, held }, fixture.options()), [
        { fence, reason },
      ]);
      equal("nothing is written", await everything(fixture), before);
    };
  }
  return all;
}

export const lateCasesOfFence = rules("fence", lateCases());

export const fenceCases = rules("fence", {
  "every claim of a job has a higher fence than all claims before it": async (fixture) => {
    const { id } = await fixture.startOne(job("a"));
    const held = [await fixture.claimOne("a", { leaseMs })];
    for (const round of [1, 2]) {
      for (const lose of Object.values(losses)) {
        await lose(fixture, present("the one before", held.at(-1)));
        held.push(await fixture.claimOne("a", { workerId: `worker-${round}`, leaseMs }));
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
    await fixture.settled(completed(present("the last one", held.at(-1)).fence));
    match("the job", await fixture.job(id), { status: "completed", attempt: 1 });
  },

  "an attempt whose lease ran out still settles while no one has claimed the job": async (fixture) => {
    const chain = await fixture.startOne(job("a"));
    const held = await fixture.claimOne("a", { leaseMs: 10 });
    fixture.advance(1_000_000);
    // Other workers claim meanwhile, which may clear expired leases.
    await fixture.claim(["other"], { workerId: "w-2" });
    await fixture.settled(completed(held.fence, "1"));
    equal("completed", (await fixture.chain(chain.id)).status, "completed");
  },

  "an attempt whose lease ran out commits its own transaction while no one has claimed the job": async (fixture) => {
    await fixture.startOne(job("a"));
    const held = await fixture.claimOne("a", { leaseMs });
    for (const waitMs of [0, leaseMs]) {
      fixture.advance(waitMs);
      const options = { holding: held.fence };
      const { id } = await fixture.store.transaction((tx) => fixture.startOne(job("b"), tx), options);
      match("written", await fixture.chain(id), { status: "active" });
    }
    await fixture.settled(completed(held.fence));
  },

  "a transaction of an attempt that throws rolls back and rejects with the thrown error": async (fixture) => {
    await fixture.startOne(job("a"));
    const { fence: holding } = await fixture.claimOne("a");
    const before = await everything(fixture);
    const thrown = new Error("changed its mind");
    const commits = fixture.store.transaction(
      async (tx) => {
        await fixture.startOne(job("b"), tx);
        throw thrown;
      },
      { holding },
    );
    equal("thrown on", await rejected("it rejects", commits), thrown);
    equal("nothing is written", await everything(fixture), before);
  },

  "one lost outcome does not affect the others of its batch": async (fixture) => {
    await fixture.start([job("a"), job("a"), job("a")]);
    const [one, two, three] = await fixture.claim(["a"]);
    if (one === undefined || two === undefined || three === undefined) throw new Error("three jobs are claimed");
    await fixture.settled(completed(two.fence));
    const replies = await fixture.store.settle(
      [one, two, three].map(({ fence }) => completed(fence)),
      fixture.options(),
    );
    equal(
      "in request order",
      replies.map((reply) => reply.status),
      ["settled", "lost", "settled"],
    );
  },

  "of two outcomes for one attempt in one batch the first counts": async (fixture) => {
    const chain = await fixture.startOne(job("a"));
    const { fence } = await fixture.claimOne("a");
    const replies = await fixture.store.settle([completed(fence, "1"), completed(fence, "2")], fixture.options());
    equal(
      "replies",
      replies.map((reply) => reply.status),
      ["settled", "lost"],
    );
    equal("the first", (await fixture.chain(chain.id)).output, "1");
  },
});
