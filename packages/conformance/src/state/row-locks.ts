import type { Outcome } from "chainwright/adapter";
import { equal, match, rejectsWith } from "../check.ts";
import { createGate } from "../behaviour/gate.ts";
import { inTime } from "../behaviour/witness.ts";
import { settlesSoon } from "../meeting.ts";
import { blockedBy, completed, continued, deferred, job } from "./build.ts";
import { rulesWith } from "./group.ts";
import { holding } from "./holding.ts";
import type { Stage } from "./stage.ts";

export const sharedBlockerCases = rulesWith("fan-in of overlapping transactions", "rowLocks", {
  "those that start to wait for one chain do not wait for each other": async (stage) => {
    const chain = await stage.startOne(job("a"));
    const blockers = [{ chainId: chain.id, typeName: "a" }];
    const first = await holding(stage, (other, tx) => other.startOne(job("b", { blockers }), tx));
    const second = await holding(stage, (other, tx) => other.startOne(job("b", { blockers }), tx));
    await inTime("a start by itself", stage.startOne(job("b", { blockers })));
    await Promise.all([first.commit(), second.rollBack()]);
    await stage.settled(completed((await stage.claimOne("a")).fence, "1"));
    equal("ready", (await stage.claim(["b"])).length, 2);
  },

  "a chain goes on to its next step while a transaction starts to wait for it, with a worker and without": async (
    stage,
  ) => {
    const chain = await stage.startOne(job("a"));
    await stage.settled(continued((await stage.claimOne("a")).fence, job("b")));
    const { fence } = await stage.claimOne("b");
    const blockers = [blockedBy(chain.id, "a")];
    const start = await holding(stage, (other, tx) => other.startOne(job("z", { blockers }), tx));
    const step = (typeName: string) => ({ chainId: chain.id, typeName });
    await inTime("by a worker", stage.settled(continued(fence, job("c"))));
    await inTime("without one", stage.settled(continued(step("c"), job("d"))));
    await inTime(
      "in a transaction",
      stage.transact((tx) => stage.settled(continued(step("d"), job("e")), tx)),
    );
    await start.rollBack();
  },

  "the end of a chain waits for those that start to wait for it, and they become ready": async (stage) => {
    const chain = await stage.startOne(job("a"));
    const { fence } = await stage.claimOne("a");
    const waits = job("b", { blockers: [{ chainId: chain.id, typeName: "a" }] });
    const start = await holding(stage, (other, tx) => other.startOne(waits, tx));
    const ending = stage.transact((tx) => stage.settled(completed(fence, "1"), tx));
    equal("it waits", await settlesSoon(ending), false);
    await start.commit();
    match("unblocked", (await inTime("it ends", ending)).unblocked[0], { jobId: waits.id });
  },

  "those that come after the end of a chain has begun to wait let it pass": async (stage) => {
    const chain = await stage.startOne(job("a"));
    const { fence } = await stage.claimOne("a");
    const waiting = () => job("b", { blockers: [{ chainId: chain.id, typeName: "a" }] });
    const early = await holding(stage, (other, tx) => other.startOne(waiting(), tx));
    const ending = stage.transact((tx) => stage.settled(completed(fence, "1"), tx));
    equal("it waits", await settlesSoon(ending), false);
    const late = holding(stage, (other, tx) => other.startOne(waiting(), tx));
    await settlesSoon(late);
    await early.commit();
    // The one that came late is still open: were it in the way, so would be the next one, and the one after.
    await inTime("it ends", ending);
    await (await late).commit();
    equal("both are ready", (await stage.claim(["b"])).length, 2);
  },

  "a transaction that waits for a chain may start another job that does, also while the chain's end waits": async (
    stage,
  ) => {
    const chain = await stage.startOne(job("a"));
    const { fence } = await stage.claimOne("a");
    const waiting = () => job("b", { blockers: [{ chainId: chain.id, typeName: "a" }] });
    const again = createGate();
    const ending = Promise.withResolvers<unknown>();
    await inTime(
      "both starts",
      stage.transact(async (tx) => {
        await stage.startOne(waiting(), tx);
        const other = await stage.connect();
        const settled = other.transact((own) => other.settled(completed(fence, "1"), own));
        settled.then(ending.resolve, ending.reject);
        await settlesSoon(settled);
        await stage.startOne(waiting(), tx);
        again.open();
      }),
    );
    await inTime("it ends", ending.promise);
    equal("both are ready", (await stage.claim(["b"])).length, 2);
  },
});

export const heldLeaseCases = rulesWith("lease", "rowLocks", {
  "a renewal waits for no transaction: what one holds is busy, neither extended nor lost, and the rest is renewed":
    async (stage) => {
      const chains = await stage.start([job("a"), job("a")]);
      const [first, second] = (await stage.claim(["a"], { leaseMs: 1_000 })).map(({ fence }) => fence);
      if (first === undefined || second === undefined) throw new Error("two are claimed");
      const until = stage.now() + 1_000;
      const cancels = await holding(stage, (other, tx) =>
        other.store.cancel([{ chainId: first.jobId, reason: undefined }], other.options(tx)),
      );
      stage.advance(500);
      const held = [first, second].map(({ jobId, fence }) => ({ jobId, fence, leaseMs: 1_000 }));
      const renew = () => stage.store.renew({ workerId: first.workerId, held }, stage.options());
      equal("not extended", await inTime("it waits for nobody", renew()), [{ fence: first, reason: "busy" }]);
      const leases = async () =>
        (await stage.store.getJobs([first.jobId, second.jobId], stage.options())).map((record) => record?.leasedUntil);
      equal("leases", await leases(), [until, stage.now() + 1_000]);
      await cancels.rollBack();
      equal("extended", await renew(), []);
      equal("leases", await leases(), [stage.now() + 1_000, stage.now() + 1_000]);
      equal("both run", chains.length, 2);
    },
});

/** Far above what a call needs, far below what a case takes. */
const waitMs = 50;

/** An attempt whose end needs a row, and a transaction of another process that has this row. */
interface Contended {
  readonly outcome: Outcome;
  hold(other: Stage, tx: unknown): Promise<unknown>;
}

const contended: Readonly<Record<string, (stage: Stage) => Promise<Contended>>> = {
  "the open step": async (stage) => {
    const chain = await stage.startOne(job("a"));
    const { fence } = await stage.claimOne("a");
    return {
      outcome: completed(fence, "1"),
      hold: (other, tx) => other.store.cancel([{ chainId: chain.id, reason: undefined }], other.options(tx)),
    };
  },
  "the open step, of an attempt that is put off": async (stage) => {
    const chain = await stage.startOne(job("a"));
    const { fence } = await stage.claimOne("a");
    return {
      outcome: deferred(fence, {}),
      hold: (other, tx) => other.store.cancel([{ chainId: chain.id, reason: undefined }], other.options(tx)),
    };
  },
  "the chain, for a job that will wait for it": async (stage) => {
    const chain = await stage.startOne(job("a"));
    const { fence } = await stage.claimOne("a");
    return {
      outcome: completed(fence, "1"),
      hold: (other, tx) => other.startOne(job("b", { blockers: [blockedBy(chain.id)] }), tx),
    };
  },
  "the chain of a later step": async (stage) => {
    const chain = await stage.startOne(job("first"));
    await stage.settled(continued((await stage.claimOne("first")).fence, job("a")));
    const { fence } = await stage.claimOne("a");
    return {
      outcome: completed(fence, "1"),
      hold: (other, tx) => other.startOne(job("b", { blockers: [blockedBy(chain.id, "first")] }), tx),
    };
  },
  "the row of a failed attempt": async (stage) => {
    const chain = await stage.startOne(job("a"));
    const { fence } = await stage.claimOne("a");
    return {
      outcome: deferred(fence, { errors: "[]" }),
      hold: (other, tx) => other.startOne(job("b", { blockers: [blockedBy(chain.id)] }), tx),
    };
  },
  "the deduplication key": async (stage) => {
    const deduplication = { key: "k", scope: "active", windowMs: 1_000 } as const;
    await stage.startOne(job("a", { deduplication }));
    const { fence } = await stage.claimOne("a");
    stage.advance(2_000);
    return {
      outcome: completed(fence, "1"),
      hold: (other, tx) => other.startOne(job("b", { deduplication }), tx),
    };
  },
  "a chain that the next step waits for": async (stage) => {
    const awaited = await stage.startOne(job("b"));
    await stage.startOne(job("a"));
    const { fence } = await stage.claimOne("a");
    return {
      outcome: continued(fence, job("c", { blockers: [blockedBy(awaited.id, "b")] })),
      hold: (other, tx) => other.settled(completed({ chainId: awaited.id, typeName: "b" }), tx),
    };
  },
};

/** What an exchange does with an outcome whose row is held, beside one that is free and a job that waits to be claimed. */
async function exchangeBeside(stage: Stage, outcome: Outcome) {
  await stage.startOne(job("neighbour"));
  const neighbour = await stage.claimOne("neighbour");
  await stage.startOne(job("next"));
  const claim = { workerId: "worker-1", types: [{ typeName: "next", leaseMs: 30_000 }], limit: 1 };
  const outcomes = [outcome, completed(neighbour.fence, "2")];
  const { settled, claimed } = await inTime(
    "the exchange comes back",
    stage.store.exchange({ outcomes, claim }, { ...stage.options(), waitMs }),
  );
  return { statuses: settled.map(({ status }) => status), claimed: claimed.length };
}

function besideHeldRow(what: string) {
  const prepare = contended[what];
  if (prepare === undefined) throw new TypeError(what);
  return {
    [`an exchange settles and claims the others while a transaction has ${what}, and the outcome when it is rolled back`]:
      async (stage: Stage) => {
        const { outcome, hold } = await prepare(stage);
        const held = await holding(stage, hold);
        equal("the exchange", await exchangeBeside(stage, outcome), { statuses: ["busy", "settled"], claimed: 1 });
        const alone = await inTime("by itself", stage.store.settle([outcome], { ...stage.options(), waitMs }));
        equal("busy", alone, [{ status: "busy" }]);
        const waiting = stage.store.settle([outcome], { ...stage.options(), waitMs: 60_000 });
        equal("it waits as long as it may", await settlesSoon(waiting), false);
        await held.rollBack();
        match("settled", (await inTime("it settles", waiting))[0], { status: "settled" });
        match("only once", await stage.settle(outcome), { status: "lost" });
      },
    [`the same when it is committed, of ${what}`]: async (stage: Stage) => {
      const { outcome, hold } = await prepare(stage);
      const held = await holding(stage, hold);
      equal("the exchange", await exchangeBeside(stage, outcome), { statuses: ["busy", "settled"], claimed: 1 });
      await held.commit();
      const { status } = await stage.settle(outcome);
      equal("settled, or lost to what was committed", ["settled", "lost"].includes(status), true);
      equal("not busy again", (await stage.settle(outcome)).status, "lost");
    },
  };
}

export const rowLockCases = rulesWith("rows that others hold", "rowLocks", {
  ...Object.fromEntries(Object.keys(contended).flatMap((what) => Object.entries(besideHeldRow(what)))),

  "a start whose key an open transaction has waits as long as it may, and has written nothing then": async (stage) => {
    const deduplication = { key: "k", scope: "active", windowMs: undefined } as const;
    const held = await holding(stage, (other, tx) => other.startOne(job("a", { deduplication }), tx));
    const start = job("a", { deduplication });
    const calls = [{ starts: [job("other")] }, { starts: [start] }];
    await rejectsWith("too long", stage.store.start(calls, { ...stage.options(), waitMs }), "transaction-conflict");
    equal("nothing is written", (await stage.store.count(stage.options())).length, 0);
    const waiting = stage.store.start(calls, { ...stage.options(), waitMs: 60_000 });
    equal("it waits", await settlesSoon(waiting), false);
    await held.rollBack();
    equal(
      "started",
      (await inTime("it starts", waiting)).every(({ ok }) => ok),
      true,
    );
  },
});
