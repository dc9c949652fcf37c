import { equal, match, rejectsWith } from "../check.ts";
import { completed, job } from "./build.ts";
import { everyCall } from "./every-call.ts";
import type { RenewRequest } from "chainwright/adapter";
import { rules } from "./group.ts";
import type { Held } from "./stage.ts";

const day = 86_400_000;

export const closedCases = rules("close", {
  "again is nothing, also at the same time": async (stage) => {
    await Promise.all([stage.store.close(), stage.store.close()]);
    await stage.store.close();
  },

  "later calls reject with closed": async (stage) => {
    await stage.store.close();
    for (const [name, call] of everyCall) {
      await rejectsWith(`${name} rejects`, call(stage.store, stage.options()), "closed");
    }
    await rejectsWith("migrate rejects", stage.store.migrate(), "closed");
  },
});

export const timeCases = rules("time", {
  "without `now` the store's own counts, which is near this machine's": async ({ store }) => {
    const starts = [
      job("now"),
      job("past", { schedule: { at: Date.now() - day } }),
      job("future", { schedule: { at: Date.now() + day } }),
      job("later", { schedule: { afterMs: day } }),
    ];
    await store.start([{ starts }], {});
    const types = ["now", "past", "future", "later"].map((typeName) => ({ typeName, leaseMs: day }));
    const reply = await store.exchange({ outcomes: [], claim: { workerId: "w", types, limit: 10 } }, {});
    equal(
      "what is due",
      reply.claimed.map(({ typeName }) => typeName),
      ["now", "past"],
    );
    for (const claimed of reply.claimed) {
      equal("begun within the hour", Math.abs(claimed.createdAt - Date.now()) < 3_600_000, true);
    }
    equal("due in a day or so", Math.abs((reply.nextDueInMs ?? 0) - day) < 3_600_000, true);
  },

  "after a failover to a clock a minute ahead, leases have ended: others claim, and the late worker changes nothing":
    async (stage) => {
      const chain = await stage.startOne(job("a"));
      const late = await stage.claimOne("a", { workerId: "late", leaseMs: 10_000 });
      stage.advance(60_000);
      const held = await stage.claimOne("a", { workerId: "next" });
      equal("refused", (await stage.settle(completed(late.fence, "1"))).status, "lost");
      await stage.settled(completed(held.fence, "2"));
      match("the chain", await stage.chain(chain.id), { status: "completed", output: "2" });
    },

  "after a failover to a clock a minute behind, leases last a minute longer, and whoever has one goes on": async (
    stage,
  ) => {
    const chain = await stage.startOne(job("a"));
    const held = await stage.claimOne("a", { leaseMs: 10_000 });
    stage.advance(-60_000);
    equal("renewed", (await stage.store.renew(renewalOf(held), stage.options())).length, 0);
    equal("no one else", await stage.claim(["a"], { workerId: "next" }), []);
    const later = await stage.startOne(job("b"));
    match("what starts now is claimed now", await stage.claimOne("b"), { id: later.id });
    await stage.settled(completed(held.fence, "1"));
    match("the chain", await stage.chain(chain.id), { status: "completed", output: "1" });
  },

  "with `now` that counts, for everything": async (stage) => {
    const chain = await stage.startOne(job("a", { schedule: { afterMs: 1_000 } }));
    equal("created", chain.createdAt, stage.now());
    stage.advance(-500_000_000);
    equal("not due", await stage.claim(["a"]), []);
    stage.advance(500_001_000);
    match("due", await stage.claimOne("a", { leaseMs: 10 }), { waitedMs: 0, createdAt: stage.now() - 1_000 });
    match("its lease", await stage.job(chain.id), { leasedUntil: stage.now() + 10, startedAt: stage.now() });
  },
});

function renewalOf({ fence }: Held): RenewRequest {
  return { workerId: fence.workerId, held: [{ jobId: fence.jobId, fence: fence.fence, leaseMs: 10_000 }] };
}
