import type { SettleReply } from "chainwright/adapter";
import { equal, holds, match, only, present, sameMembers } from "../check.ts";
import { createBarrier, settlesSoon } from "../barrier.ts";
import { blockedBy, completed, continued, job, newId } from "./build.ts";
import { rules } from "./group.ts";
import { chains, everything, jobs } from "./listing.ts";
import { accepted, refused } from "./fixture.ts";
import type { StateFixture } from "./fixture.ts";

export const cycleCases = rules("cycle", {
  "a start cannot be blocked by itself": async (fixture) => {
    const id = newId();
    const [reply] = await fixture.store.start(
      [{ starts: [job("a", { id, blockers: [blockedBy(id)] })] }],
      fixture.options(),
    );
    const refusal = refused("refused", present("a reply", reply));
    holds("as a cycle, or as not there yet", ["blocker-cycle", "chain-not-found"].includes(refusal.code), refusal);
    equal("nothing is written", await chains(fixture), []);
  },

  "a step cannot be blocked by its own chain": async (fixture) => {
    const chain = await fixture.startOne(job("a"));
    const { fence } = await fixture.claimOne("a");
    const before = await everything(fixture);
    const reply = await fixture.settle(continued(fence, job("b", { blockers: [blockedBy(chain.id)] })));
    equal("refused", reply.status === "refused" ? reply.refusal.code : reply.status, "blocker-cycle");
    equal("nothing is written", await everything(fixture), before);
    await fixture.settled(completed(fence));
  },

  "a step whose id is taken is refused because of its id, even if it would close a cycle": async (fixture) => {
    const chain = await fixture.startOne(job("a"));
    const { fence } = await fixture.claimOne("a");
    const next = job("b", { id: chain.id, blockers: [blockedBy(chain.id)] });
    equal("reply", await fixture.settle(continued(fence, next)), {
      status: "refused",
      refusal: { code: "duplicate-id", id: chain.id },
    });
  },

  "a step cannot be blocked by a chain that waits for its own": async (fixture) => {
    const chain = await fixture.startOne(job("a"));
    const waiting = await fixture.startOne(job("x", { blockers: [blockedBy(chain.id)] }));
    const { fence } = await fixture.claimOne("a");
    const reply = await fixture.settle(continued(fence, job("b", { blockers: [blockedBy(waiting.id)] })));
    if (reply.status !== "refused") throw new Error(`refused, not ${reply.status}`);
    equal("code", reply.refusal.code, "blocker-cycle");
    const way = present("the way round", reply.refusal.references);
    holds("the way round names the chains on it", way.includes(waiting.id), way);
    await fixture.settled(completed(fence));
    match("and it can still run", await fixture.claimOne("x"), { id: waiting.id });
  },

  "a step cannot close a cycle over ten chains": async (fixture) => {
    const chain = await fixture.startOne(job("a"));
    let last = chain.id;
    for (let level = 0; level < 10; level += 1) {
      last = (await fixture.startOne(job("x", { blockers: [blockedBy(last)] }))).id;
    }
    const { fence } = await fixture.claimOne("a");
    const reply = await fixture.settle(continued(fence, job("b", { blockers: [blockedBy(last)] })));
    equal("refused", reply.status === "refused" ? reply.refusal.code : reply.status, "blocker-cycle");
  },

  "a step cannot wait for a failed or cancelled chain that would wait for the step's own chain after a retry": async (
    fixture,
  ) => {
    for (const onBlockerFailure of ["wait", "fail"] as const) {
      const chain = await fixture.startOne(job("a"));
      const waiting = await fixture.startOne(job("x", { blockers: [blockedBy(chain.id)] }));
      accepted(
        "cancelled",
        await fixture.store.cancel([{ chainId: waiting.id, reason: undefined }], fixture.options()),
      );
      const { fence } = await fixture.claimOne("a");
      const next = job("b", { blockers: [blockedBy(waiting.id)], onBlockerFailure });
      const reply = await fixture.settle(continued(fence, next));
      equal(onBlockerFailure, reply.status === "refused" ? reply.refusal.code : reply.status, "blocker-cycle");
      await fixture.settled(completed(fence));
    }
  },

  "an inline blocker of a step cannot wait for the step's own chain": async (fixture) => {
    const chain = await fixture.startOne(job("a"));
    const { fence } = await fixture.claimOne("a");
    const inline = job("x", { blockers: [blockedBy(chain.id)] });
    const before = await everything(fixture);
    const reply = await fixture.settle(continued(fence, job("b", { blockers: [{ start: inline }] })));
    equal("refused", reply.status === "refused" ? reply.refusal.code : reply.status, "blocker-cycle");
    equal("nothing is written", await everything(fixture), before);
  },

  "a step may wait for a chain whose earlier step waited for this one": async (fixture) => {
    const chain = await fixture.startOne(job("a"));
    const partner = await fixture.startOne(job("x", { blockers: [{ start: job("y") }] }));
    await fixture.settled(completed((await fixture.claimOne("y")).fence));
    await fixture.settled(
      continued((await fixture.claimOne("a")).fence, job("b", { blockers: [blockedBy(partner.id)] })),
    );
    const { unblocked } = await fixture.settled(completed((await fixture.claimOne("x")).fence));
    equal("continues", only("one", unblocked).chainId, chain.id);
  },

  "of two steps in one batch that would wait for each other's chains, the second is refused": async (fixture) => {
    const [one, two] = await fixture.start([job("a"), job("a")]);
    const held = await fixture.claim(["a"]);
    const ids = [one?.id ?? "", two?.id ?? ""];
    const replies = await fixture.store.settle(
      held.map(({ fence }, index) => continued(fence, job("b", { blockers: [blockedBy(ids[1 - index] ?? "")] }))),
      fixture.options(),
    );
    equal(
      "replies",
      replies.map((reply) => (reply.status === "refused" ? reply.refusal.code : reply.status)),
      ["settled", "blocker-cycle"],
    );
  },

  "of two steps that start to wait for each other's chains at the same time, exactly one is refused": async (
    fixture,
  ) => {
    const other = await fixture.connect();
    for (let round = 0; round < 5; round += 1) {
      const [one, two] = await fixture.start([job("a"), job("a")]);
      const ids = [one?.id ?? "", two?.id ?? ""];
      const held = await fixture.claim(["a"]);
      const barrier = createBarrier(2);
      const replies = await Promise.all(
        held.map(({ fence }, index) => {
          const own = index === 0 ? fixture : other;
          return own.transact(async (tx) => {
            await own.store.getChains([], own.options(tx));
            await barrier();
            return own.settle(continued(fence, job("b", { blockers: [blockedBy(ids[1 - index] ?? "")] })), tx);
          });
        }),
      );
      equal(
        "one of them",
        replies
          .map((reply) => (reply.status === "refused" ? reply.refusal.code : reply.status))
          .toSorted((left, right) => left.localeCompare(right)),
        ["blocker-cycle", "settled"],
      );
      equal(
        "one step is written",
        (await jobs(fixture, { typeNames: ["b"], statuses: ["blocked"] })).length,
        round + 1,
      );
    }
  },

  "of three steps that start to wait for each other's chains in a ring, at least one is refused": async (fixture) => {
    const other = await fixture.connect();
    const started = await fixture.start([job("a"), job("a"), job("a")]);
    const held = await fixture.claim(["a"]);
    const replies = await Promise.all(
      held.map(({ fence }, index) => {
        const own = index === 1 ? other : fixture;
        const after = started[(index + 1) % 3]?.id ?? "";
        return own.insist(() => own.settle(continued(fence, job("b", { blockers: [blockedBy(after)] }))));
      }),
    );
    const refusals = replies.flatMap((reply) => (reply.status === "refused" ? reply.refusal.code : []));
    equal("exactly one", refusals, ["blocker-cycle"]);
  },

  "of two steps that close one ring of four chains from two sides at the same time, exactly one is refused": async (
    fixture,
  ) => {
    const other = await fixture.connect();
    const started = await fixture.start([job("a"), job("a"), job("a"), job("a")]);
    const held = await fixture.claim(["a"]);
    const waitForNext = (own: StateFixture, index: number, tx?: unknown) => {
      const after = started[(index + 1) % 4]?.id ?? "";
      return own.settle(continued(present("held", held[index]).fence, job("b", { blockers: [blockedBy(after)] })), tx);
    };
    for (const index of [1, 3]) await waitForNext(fixture, index);
    // The two steps share no chain: neither their own chains nor the chains that they wait for are the same.
    let second: Promise<SettleReply> | undefined;
    const first = await fixture.transact(async (tx) => {
      const reply = await waitForNext(fixture, 0, tx);
      // Only once, also if the first call loses the race and runs again.
      second ??= other.insist(() => waitForNext(other, 2));
      await settlesSoon(second);
      return reply;
    });
    const statuses = [first, present("the second", await second)].map((reply) =>
      reply.status === "refused" ? reply.refusal.code : reply.status,
    );
    sameMembers("one of them", statuses, ["blocker-cycle", "settled"]);
  },
});
