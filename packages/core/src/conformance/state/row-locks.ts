import { equal, match } from "../check.ts";
import { createGate } from "../behaviour/gate.ts";
import { inTime } from "../behaviour/witness.ts";
import { settlesSoon } from "../meeting.ts";
import { completed, job } from "./build.ts";
import { rulesWith } from "./group.ts";
import { holding } from "./holding.ts";

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
