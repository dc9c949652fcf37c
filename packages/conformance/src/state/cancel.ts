import type { CancelItem } from "chainwright/adapter";
import { equal, match, only, rejected, sameMembers } from "../check.ts";
import { createBarrier } from "../barrier.ts";
import { blockedBy, completed, continued, failed, job, newId } from "./build.ts";
import { rules } from "./group.ts";
import { countsAgree, everything, statuses } from "./listing.ts";
import type { StateFixture } from "./fixture.ts";
import { accepted, refused } from "./fixture.ts";

function cancel(fixture: StateFixture, items: readonly (string | CancelItem)[], tx?: unknown) {
  return fixture.store.cancel(
    items.map((item) => (typeof item === "string" ? { chainId: item, reason: undefined } : item)),
    fixture.options(tx),
  );
}

const states: Readonly<Record<string, (fixture: StateFixture) => Promise<string>>> = {
  ready: async (fixture) => (await fixture.startOne(job("a"))).id,
  scheduled: async (fixture) => (await fixture.startOne(job("a", { schedule: { afterMs: 10 } }))).id,
  blocked: async (fixture) => (await fixture.startOne(job("a", { blockers: [{ start: job("x") }] }))).id,
  running: async (fixture) => {
    const { id } = await fixture.startOne(job("a"));
    await fixture.claimOne("a", { workerId: "w-9" });
    return id;
  },
};

const stateCases = Object.fromEntries(
  Object.entries(states).map(([state, arrange]) => [
    `ends a chain whose step is ${state}`,
    async (fixture: StateFixture) => {
      const chainId = await arrange(fixture);
      fixture.advance(3);
      const replies = accepted("accepted", await cancel(fixture, [{ chainId, reason: "no longer wanted" }]));
      const { entry: _, ...reply } = only("one reply", replies);
      equal("the reply", reply, {
        jobId: chainId,
        chainId,
        typeName: "a",
        interrupted: state === "running" ? "w-9" : undefined,
        unblocked: [],
        failed: [],
        reblocked: [],
        releasing: false,
      });
      match("the chain", await fixture.chain(chainId), {
        status: "cancelled",
        reason: "no longer wanted",
        output: undefined,
        errors: undefined,
        endedAt: fixture.now(),
      });
      match("the job", await fixture.job(chainId), { status: "cancelled", endedAt: fixture.now() });
      fixture.advance(1_000_000);
      equal("nothing to claim", await fixture.claim(["a"]), []);
      await countsAgree(fixture);
    },
  ]),
);

export const cancelStateCases = rules("cancel", stateCases);

export const cancelCases = rules("cancel", {
  "returns replies in the order of the request, at any step of each chain": async (fixture) => {
    const [one, two] = await fixture.start([job("a"), job("b")]);
    const next = job("c");
    await fixture.settled(continued((await fixture.claimOne("b")).fence, next));
    const replies = accepted("accepted", await cancel(fixture, [two?.id ?? "", one?.id ?? ""]));
    equal(
      "replies",
      replies.map(({ jobId, chainId, typeName }) => [jobId, chainId, typeName]),
      [
        [next.id, two?.id ?? "", "c"],
        [one?.id ?? "", one?.id ?? "", "a"],
      ],
    );
    match("the first step stays completed", await fixture.job(two?.id ?? ""), { status: "completed" });
    match("the open one is cancelled", await fixture.job(next.id), { status: "cancelled" });
  },

  "without a reason there is none": async (fixture) => {
    const { id } = await fixture.startOne(job("a"));
    accepted("accepted", await cancel(fixture, [id]));
    match("the chain", await fixture.chain(id), { status: "cancelled", reason: undefined });
  },

  "refuses the whole call when one item is refused, and writes nothing": async (fixture) => {
    const open = await fixture.startOne(job("a"));
    const waiting = await fixture.startOne(job("w", { blockers: [blockedBy(open.id)] }));
    const done = await fixture.completedChain(job("b"));
    const broken = await fixture.startOne(job("c"));
    await fixture.settled(failed({ chainId: broken.id, typeName: "c" }));
    const gone = await fixture.startOne(job("d"));
    accepted("accepted", await cancel(fixture, [gone.id]));
    const missing = newId();
    const refusals = [
      [missing, { code: "chain-not-found", id: missing }],
      [done.id, { code: "chain-not-active", id: done.id, actual: "completed" }],
      [broken.id, { code: "chain-not-active", id: broken.id, actual: "failed" }],
      [gone.id, { code: "chain-not-active", id: gone.id, actual: "cancelled" }],
    ] as const;
    const before = await everything(fixture);
    for (const [id, refusal] of refusals) {
      equal("refusal", refused("refused", await cancel(fixture, [open.id, id])), refusal);
      equal("nothing is written", await everything(fixture), before);
    }
    equal("still active", await statuses(fixture, [open.id, waiting.id]), ["active", "active"]);
  },

  "refuses the id of a later step, because it is not a chain": async (fixture) => {
    const chain = await fixture.startOne(job("a"));
    const next = job("b");
    await fixture.settled(continued({ chainId: chain.id, typeName: "a" }, next));
    equal("refusal", refused("refused", await cancel(fixture, [next.id])), { code: "chain-not-found", id: next.id });
  },

  "cancels nothing when asked for nothing": async (fixture) => {
    equal("nothing", accepted("accepted", await cancel(fixture, [])), []);
  },

  "of a chain and one that waits for it, named in one call, both are cancelled": async (fixture) => {
    for (const turn of ["blocker first", "dependent first"]) {
      const blocker = await fixture.startOne(job("x"));
      const waiting = await fixture.startOne(job("a", { blockers: [blockedBy(blocker.id)] }));
      const behind = await fixture.startOne(job("b", { blockers: [blockedBy(waiting.id)] }));
      const ids = turn === "blocker first" ? [blocker.id, waiting.id] : [waiting.id, blocker.id];
      const replies = accepted("accepted", await cancel(fixture, ids));
      equal(
        "replies in order",
        replies.map(({ chainId }) => chainId),
        ids,
      );
      equal(turn, await statuses(fixture, [blocker.id, waiting.id, behind.id]), ["cancelled", "cancelled", "failed"]);
      equal(
        "failed, reported once",
        replies.flatMap((one) => one.failed.map(({ chainId }) => chainId)),
        [behind.id],
      );
      await countsAgree(fixture);
    }
  },

  "two chains cancelled in one call fail their common dependent once": async (fixture) => {
    const blockers = await fixture.start([job("x"), job("x")]);
    const waiting = await fixture.startOne(job("a", { blockers: blockers.map(({ id }) => blockedBy(id)) }));
    const ids = blockers.map(({ id }) => id);
    const replies = accepted("accepted", await cancel(fixture, ids));
    equal(
      "reported once",
      replies.flatMap((one) => one.failed.map(({ chainId }) => chainId)),
      [waiting.id],
    );
    await countsAgree(fixture);
  },

  "has no effect in a transaction that rolls back": async (fixture) => {
    const chain = await fixture.startOne(job("a"));
    const held = await fixture.claimOne("a");
    const before = await everything(fixture);
    await rejected(
      "rejects",
      fixture.store.transaction(async (tx) => {
        accepted("accepted", await cancel(fixture, [chain.id], tx));
        throw new Error("undo");
      }),
    );
    equal("as it was", await everything(fixture), before);
    await fixture.settled(completed(held.fence));
  },

  "of a concurrent cancellation and completion one succeeds and the other is refused": async (fixture) => {
    const other = await fixture.connect();
    for (let round = 0; round < 20; round += 1) {
      const chain = await fixture.startOne(job("a"));
      const held = await fixture.claimOne("a");
      const [cancelled, settled] = await Promise.all([
        fixture.insist(() => cancel(fixture, [chain.id])),
        other.insist(() => other.settle(completed(held.fence, "1"))),
      ]);
      const [status] = await statuses(fixture, [chain.id]);
      if (cancelled.ok) {
        equal("the completion reports that it lost", settled, { status: "lost", reason: "cancelled" });
        equal("the chain", status, "cancelled");
        equal("the worker is named", only("one", cancelled.value).interrupted, "worker-1");
      } else {
        equal("the cancellation reports the status", cancelled.refusal.actual, "completed");
        equal("settled", settled.status, "settled");
        equal("the chain", status, "completed");
      }
    }
    await countsAgree(fixture);
  },

  "of a cancellation and a completion in overlapping transactions one succeeds and the other is refused": async (
    fixture,
  ) => {
    const other = await fixture.connect();
    const chain = await fixture.startOne(job("a"));
    const held = await fixture.claimOne("a");
    const barrier = createBarrier(2);
    const [cancelled, settled] = await Promise.all([
      fixture.transact(async (tx) => {
        await fixture.store.getChains([], fixture.options(tx));
        await barrier();
        return cancel(fixture, [chain.id], tx);
      }),
      other.transact(async (tx) => {
        await other.store.getChains([], other.options(tx));
        await barrier();
        return other.settle(completed(held.fence, "1"), tx);
      }),
    ]);
    const winners = [cancelled.ok ? "cancelled" : "", settled.status === "settled" ? "completed" : ""].filter(Boolean);
    equal("one winner", winners, [(await fixture.chain(chain.id)).status]);
    await countsAgree(fixture);
  },

  "cancellations of the same chains in opposite order: each is cancelled once": async (fixture) => {
    const other = await fixture.connect();
    for (let round = 0; round < 10; round += 1) {
      const ids = (await fixture.start([job("a"), job("a"), job("a")])).map(({ id }) => id);
      const replies = await Promise.all([
        fixture.insist(() => cancel(fixture, ids)),
        other.insist(() => cancel(other, ids.toReversed())),
      ]);
      sameMembers(
        "one call cancels, the other is refused",
        replies.map((reply) => (reply.ok ? "cancelled" : reply.refusal.code)),
        ["cancelled", "chain-not-active"],
      );
      equal("all cancelled", await statuses(fixture, ids), ["cancelled", "cancelled", "cancelled"]);
    }
    await countsAgree(fixture);
  },
});
