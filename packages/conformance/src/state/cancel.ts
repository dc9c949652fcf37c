import type { CancelItem } from "chainwright/adapter";
import { equal, match, only, rejected, sameMembers } from "../check.ts";
import { createMeeting } from "../meeting.ts";
import { blockedBy, completed, continued, failed, job, newId } from "./build.ts";
import { rules } from "./group.ts";
import { countsAgree, everything, statuses } from "./listing.ts";
import type { Stage } from "./stage.ts";
import { accepted, refused } from "./stage.ts";

function cancel(stage: Stage, items: readonly (string | CancelItem)[], tx?: unknown) {
  return stage.store.cancel(
    items.map((item) => (typeof item === "string" ? { chainId: item, reason: undefined } : item)),
    stage.options(tx),
  );
}

const standings: Readonly<Record<string, (stage: Stage) => Promise<string>>> = {
  ready: async (stage) => (await stage.startOne(job("a"))).id,
  scheduled: async (stage) => (await stage.startOne(job("a", { schedule: { afterMs: 10 } }))).id,
  blocked: async (stage) => (await stage.startOne(job("a", { blockers: [{ start: job("x") }] }))).id,
  running: async (stage) => {
    const { id } = await stage.startOne(job("a"));
    await stage.claimOne("a", { workerId: "w-9" });
    return id;
  },
};

const standingCases = Object.fromEntries(
  Object.entries(standings).map(([standing, arrange]) => [
    `ends a chain whose step is ${standing}`,
    async (stage: Stage) => {
      const chainId = await arrange(stage);
      stage.advance(3);
      const [told] = accepted("accepted", await cancel(stage, [{ chainId, reason: "no longer wanted" }]));
      equal("told", told, {
        jobId: chainId,
        chainId,
        typeName: "a",
        interrupted: standing === "running" ? "w-9" : undefined,
        unblocked: [],
        failed: [],
        reblocked: [],
        releasing: false,
      });
      match("the chain", await stage.chain(chainId), {
        status: "cancelled",
        reason: "no longer wanted",
        output: undefined,
        errors: undefined,
        endedAt: stage.now(),
      });
      match("the job", await stage.job(chainId), { status: "cancelled", endedAt: stage.now() });
      stage.advance(1_000_000);
      equal("nothing to claim", await stage.claim(["a"]), []);
      await countsAgree(stage);
    },
  ]),
);

export const cancelStandingCases = rules("cancel", standingCases);

export const cancelCases = rules("cancel", {
  "answers in the order of the request, at whatever step each chain is": async (stage) => {
    const [one, two] = await stage.start([job("a"), job("b")]);
    const next = job("c");
    await stage.settled(continued((await stage.claimOne("b")).fence, next));
    const told = accepted("accepted", await cancel(stage, [two?.id ?? "", one?.id ?? ""]));
    equal(
      "told",
      told.map(({ jobId, chainId, typeName }) => [jobId, chainId, typeName]),
      [
        [next.id, two?.id ?? "", "c"],
        [one?.id ?? "", one?.id ?? "", "a"],
      ],
    );
    match("the first step stays completed", await stage.job(two?.id ?? ""), { status: "completed" });
    match("the open one is cancelled", await stage.job(next.id), { status: "cancelled" });
  },

  "without a reason there is none": async (stage) => {
    const { id } = await stage.startOne(job("a"));
    accepted("accepted", await cancel(stage, [id]));
    match("the chain", await stage.chain(id), { status: "cancelled", reason: undefined });
  },

  "refuses all when one is refused, and writes nothing": async (stage) => {
    const open = await stage.startOne(job("a"));
    const waiting = await stage.startOne(job("w", { blockers: [blockedBy(open.id)] }));
    const done = await stage.completedChain(job("b"));
    const broken = await stage.startOne(job("c"));
    await stage.settled(failed({ chainId: broken.id, typeName: "c" }));
    const gone = await stage.startOne(job("d"));
    accepted("accepted", await cancel(stage, [gone.id]));
    const missing = newId();
    const refusals = [
      [missing, { code: "chain-not-found", id: missing }],
      [done.id, { code: "chain-not-active", id: done.id, actual: "completed" }],
      [broken.id, { code: "chain-not-active", id: broken.id, actual: "failed" }],
      [gone.id, { code: "chain-not-active", id: gone.id, actual: "cancelled" }],
    ] as const;
    const before = await everything(stage);
    for (const [id, refusal] of refusals) {
      equal("refusal", refused("refused", await cancel(stage, [open.id, id])), refusal);
      equal("nothing is written", await everything(stage), before);
    }
    equal("still active", await statuses(stage, [open.id, waiting.id]), ["active", "active"]);
  },

  "refuses the id of a later step: it is no chain": async (stage) => {
    const chain = await stage.startOne(job("a"));
    const next = job("b");
    await stage.settled(continued({ chainId: chain.id, typeName: "a" }, next));
    equal("refusal", refused("refused", await cancel(stage, [next.id])), { code: "chain-not-found", id: next.id });
  },

  "cancels nothing when asked for nothing": async (stage) => {
    equal("nothing", accepted("accepted", await cancel(stage, [])), []);
  },

  "of a chain and one that waits for it, named in one call, both are cancelled": async (stage) => {
    for (const turn of ["blocker first", "dependent first"]) {
      const blocker = await stage.startOne(job("x"));
      const waiting = await stage.startOne(job("a", { blockers: [blockedBy(blocker.id)] }));
      const behind = await stage.startOne(job("b", { blockers: [blockedBy(waiting.id)] }));
      const ids = turn === "blocker first" ? [blocker.id, waiting.id] : [waiting.id, blocker.id];
      const told = accepted("accepted", await cancel(stage, ids));
      equal(
        "told in order",
        told.map(({ chainId }) => chainId),
        ids,
      );
      equal(turn, await statuses(stage, [blocker.id, waiting.id, behind.id]), ["cancelled", "cancelled", "failed"]);
      equal(
        "failed, told once",
        told.flatMap((one) => one.failed.map(({ chainId }) => chainId)),
        [behind.id],
      );
      await countsAgree(stage);
    }
  },

  "two chains cancelled in one call fail their common dependent once": async (stage) => {
    const blockers = await stage.start([job("x"), job("x")]);
    const waiting = await stage.startOne(job("a", { blockers: blockers.map(({ id }) => blockedBy(id)) }));
    const ids = blockers.map(({ id }) => id);
    const told = accepted("accepted", await cancel(stage, ids));
    equal(
      "told once",
      told.flatMap((one) => one.failed.map(({ chainId }) => chainId)),
      [waiting.id],
    );
    await countsAgree(stage);
  },

  "in a transaction that rolls back it did not happen": async (stage) => {
    const chain = await stage.startOne(job("a"));
    const held = await stage.claimOne("a");
    const before = await everything(stage);
    await rejected(
      "rejects",
      stage.store.transaction(async (tx) => {
        accepted("accepted", await cancel(stage, [chain.id], tx));
        throw new Error("undo");
      }),
    );
    equal("as it was", await everything(stage), before);
    await stage.settled(completed(held.fence));
  },

  "of a cancellation and a completion at the same time one wins, and the other is told": async (stage) => {
    const other = await stage.connect();
    for (let round = 0; round < 20; round += 1) {
      const chain = await stage.startOne(job("a"));
      const held = await stage.claimOne("a");
      const [told, settled] = await Promise.all([
        stage.insist(() => cancel(stage, [chain.id])),
        other.insist(() => other.settle(completed(held.fence, "1"))),
      ]);
      const [status] = await statuses(stage, [chain.id]);
      if (told.ok) {
        equal("the completion is told", settled, { status: "lost", reason: "cancelled" });
        equal("the chain", status, "cancelled");
        equal("the worker is named", only("one", told.value).interrupted, "worker-1");
      } else {
        equal("the cancellation is told", told.refusal.actual, "completed");
        equal("settled", settled.status, "settled");
        equal("the chain", status, "completed");
      }
    }
    await countsAgree(stage);
  },

  "of a cancellation and a completion in overlapping transactions one wins, and the other is told": async (stage) => {
    const other = await stage.connect();
    const chain = await stage.startOne(job("a"));
    const held = await stage.claimOne("a");
    const meet = createMeeting(2);
    const [told, settled] = await Promise.all([
      stage.transact(async (tx) => {
        await stage.store.getChains([], stage.options(tx));
        await meet();
        return cancel(stage, [chain.id], tx);
      }),
      other.transact(async (tx) => {
        await other.store.getChains([], other.options(tx));
        await meet();
        return other.settle(completed(held.fence, "1"), tx);
      }),
    ]);
    const winners = [told.ok ? "cancelled" : "", settled.status === "settled" ? "completed" : ""].filter(Boolean);
    equal("one winner", winners, [(await stage.chain(chain.id)).status]);
    await countsAgree(stage);
  },

  "cancellations of the same chains in opposite order: each is cancelled once": async (stage) => {
    const other = await stage.connect();
    for (let round = 0; round < 10; round += 1) {
      const ids = (await stage.start([job("a"), job("a"), job("a")])).map(({ id }) => id);
      const replies = await Promise.all([
        stage.insist(() => cancel(stage, ids)),
        other.insist(() => cancel(other, ids.toReversed())),
      ]);
      sameMembers(
        "one call cancels, the other is refused",
        replies.map((reply) => (reply.ok ? "cancelled" : reply.refusal.code)),
        ["cancelled", "chain-not-active"],
      );
      equal("all cancelled", await statuses(stage, ids), ["cancelled", "cancelled", "cancelled"]);
    }
    await countsAgree(stage);
  },
});
