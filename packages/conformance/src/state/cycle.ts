import type { SettleReply } from "chainwright/adapter";
import { equal, holds, match, only, present, sameMembers } from "../check.ts";
import { createMeeting, settlesSoon } from "../meeting.ts";
import { blockedBy, completed, continued, job, newId } from "./build.ts";
import { rules } from "./group.ts";
import { chains, everything, jobs } from "./listing.ts";
import { accepted, refused } from "./stage.ts";
import type { Stage } from "./stage.ts";

export const cycleCases = rules("cycle", {
  "a start cannot be blocked by itself": async (stage) => {
    const id = newId();
    const [reply] = await stage.store.start(
      [{ starts: [job("a", { id, blockers: [blockedBy(id)] })] }],
      stage.options(),
    );
    const refusal = refused("refused", present("a reply", reply));
    holds("as a cycle, or as not there yet", ["blocker-cycle", "chain-not-found"].includes(refusal.code), refusal);
    equal("nothing is written", await chains(stage), []);
  },

  "a step cannot be blocked by its own chain": async (stage) => {
    const chain = await stage.startOne(job("a"));
    const { fence } = await stage.claimOne("a");
    const before = await everything(stage);
    const reply = await stage.settle(continued(fence, job("b", { blockers: [blockedBy(chain.id)] })));
    equal("refused", reply.status === "refused" ? reply.refusal.code : reply.status, "blocker-cycle");
    equal("nothing is written", await everything(stage), before);
    await stage.settled(completed(fence));
  },

  "a step whose id is taken is refused for its id, also where it would close a way round": async (stage) => {
    const chain = await stage.startOne(job("a"));
    const { fence } = await stage.claimOne("a");
    const next = job("b", { id: chain.id, blockers: [blockedBy(chain.id)] });
    equal("reply", await stage.settle(continued(fence, next)), {
      status: "refused",
      refusal: { code: "duplicate-id", id: chain.id },
    });
  },

  "a step cannot be blocked by a chain that waits for its own": async (stage) => {
    const chain = await stage.startOne(job("a"));
    const waiting = await stage.startOne(job("x", { blockers: [blockedBy(chain.id)] }));
    const { fence } = await stage.claimOne("a");
    const reply = await stage.settle(continued(fence, job("b", { blockers: [blockedBy(waiting.id)] })));
    if (reply.status !== "refused") throw new Error(`refused, not ${reply.status}`);
    equal("code", reply.refusal.code, "blocker-cycle");
    const way = present("the way round", reply.refusal.references);
    holds("the way round names the chains on it", way.includes(waiting.id), way);
    await stage.settled(completed(fence));
    match("and it can still run", await stage.claimOne("x"), { id: waiting.id });
  },

  "a step cannot close a way round over ten chains": async (stage) => {
    const chain = await stage.startOne(job("a"));
    let last = chain.id;
    for (let level = 0; level < 10; level += 1) {
      last = (await stage.startOne(job("x", { blockers: [blockedBy(last)] }))).id;
    }
    const { fence } = await stage.claimOne("a");
    const reply = await stage.settle(continued(fence, job("b", { blockers: [blockedBy(last)] })));
    equal("refused", reply.status === "refused" ? reply.refusal.code : reply.status, "blocker-cycle");
  },

  "a step cannot come to wait for a chain that failed or was cancelled and would, retried, wait for its own": async (
    stage,
  ) => {
    for (const onBlockerFailure of ["wait", "fail"] as const) {
      const chain = await stage.startOne(job("a"));
      const waiting = await stage.startOne(job("x", { blockers: [blockedBy(chain.id)] }));
      accepted("cancelled", await stage.store.cancel([{ chainId: waiting.id, reason: undefined }], stage.options()));
      const { fence } = await stage.claimOne("a");
      const next = job("b", { blockers: [blockedBy(waiting.id)], onBlockerFailure });
      const reply = await stage.settle(continued(fence, next));
      equal(onBlockerFailure, reply.status === "refused" ? reply.refusal.code : reply.status, "blocker-cycle");
      await stage.settled(completed(fence));
    }
  },

  "an inline blocker of a step cannot wait for the step's own chain": async (stage) => {
    const chain = await stage.startOne(job("a"));
    const { fence } = await stage.claimOne("a");
    const inline = job("x", { blockers: [blockedBy(chain.id)] });
    const before = await everything(stage);
    const reply = await stage.settle(continued(fence, job("b", { blockers: [{ start: inline }] })));
    equal("refused", reply.status === "refused" ? reply.refusal.code : reply.status, "blocker-cycle");
    equal("nothing is written", await everything(stage), before);
  },

  "a step may wait for a chain whose earlier step waited for this one": async (stage) => {
    const chain = await stage.startOne(job("a"));
    const partner = await stage.startOne(job("x", { blockers: [{ start: job("y") }] }));
    await stage.settled(completed((await stage.claimOne("y")).fence));
    await stage.settled(continued((await stage.claimOne("a")).fence, job("b", { blockers: [blockedBy(partner.id)] })));
    const { unblocked } = await stage.settled(completed((await stage.claimOne("x")).fence));
    equal("goes on", only("one", unblocked).chainId, chain.id);
  },

  "of two steps in one batch that would wait for each other's chains, the second is refused": async (stage) => {
    const [one, two] = await stage.start([job("a"), job("a")]);
    const held = await stage.claim(["a"]);
    const ids = [one?.id ?? "", two?.id ?? ""];
    const replies = await stage.store.settle(
      held.map(({ fence }, index) => continued(fence, job("b", { blockers: [blockedBy(ids[1 - index] ?? "")] }))),
      stage.options(),
    );
    equal(
      "replies",
      replies.map((reply) => (reply.status === "refused" ? reply.refusal.code : reply.status)),
      ["settled", "blocker-cycle"],
    );
  },

  "of two steps that come to wait for each other's chains at the same time, exactly one is refused": async (stage) => {
    const other = await stage.connect();
    for (let round = 0; round < 5; round += 1) {
      const [one, two] = await stage.start([job("a"), job("a")]);
      const ids = [one?.id ?? "", two?.id ?? ""];
      const held = await stage.claim(["a"]);
      const meet = createMeeting(2);
      const replies = await Promise.all(
        held.map(({ fence }, index) => {
          const own = index === 0 ? stage : other;
          return own.transact(async (tx) => {
            await own.store.getChains([], own.options(tx));
            await meet();
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
      equal("one step is written", (await jobs(stage, { typeNames: ["b"], statuses: ["blocked"] })).length, round + 1);
    }
  },

  "of three steps that come to wait for each other's chains in a ring, at least one is refused": async (stage) => {
    const other = await stage.connect();
    const started = await stage.start([job("a"), job("a"), job("a")]);
    const held = await stage.claim(["a"]);
    const replies = await Promise.all(
      held.map(({ fence }, index) => {
        const own = index === 1 ? other : stage;
        const after = started[(index + 1) % 3]?.id ?? "";
        return own.insist(() => own.settle(continued(fence, job("b", { blockers: [blockedBy(after)] }))));
      }),
    );
    const refusals = replies.flatMap((reply) => (reply.status === "refused" ? reply.refusal.code : []));
    equal("exactly one", refusals, ["blocker-cycle"]);
  },

  "of two steps that close one ring of four chains from two sides at the same time, exactly one is refused": async (
    stage,
  ) => {
    const other = await stage.connect();
    const started = await stage.start([job("a"), job("a"), job("a"), job("a")]);
    const held = await stage.claim(["a"]);
    const waitForNext = (own: Stage, index: number, tx?: unknown) => {
      const after = started[(index + 1) % 4]?.id ?? "";
      return own.settle(continued(present("held", held[index]).fence, job("b", { blockers: [blockedBy(after)] })), tx);
    };
    for (const index of [1, 3]) await waitForNext(stage, index);
    // They share no chain: neither the ones that go on, nor the ones that these wait for.
    let second: Promise<SettleReply> | undefined;
    const first = await stage.transact(async (tx) => {
      const reply = await waitForNext(stage, 0, tx);
      // Once, also where the first loses the race and is run again.
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
