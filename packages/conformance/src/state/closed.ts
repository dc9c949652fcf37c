import { equal, match, rejectsWith } from "../check.ts";
import { completed, job } from "./build.ts";
import { everyCall } from "./every-call.ts";
import type { RenewRequest } from "chainwright/adapter";
import { rules } from "./group.ts";
import type { Held } from "./fixture.ts";

const day = 86_400_000;

export const closedCases = rules("close", {
  "a second close does nothing, also at the same time": async (fixture) => {
    await Promise.all([fixture.store.close(), fixture.store.close()]);
    await fixture.store.close();
  },

  "later calls reject with closed": async (fixture) => {
    await fixture.store.close();
    for (const [name, call] of everyCall) {
      await rejectsWith(`${name} rejects`, call(fixture.store, fixture.options()), "closed");
    }
    await rejectsWith("migrate rejects", fixture.store.migrate(), "closed");
  },
});

export const timeCases = rules("time", {
  "without `now` the store uses its own clock, which is close to this machine's": async ({ store }) => {
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
    async (fixture) => {
      const chain = await fixture.startOne(job("a"));
      const late = await fixture.claimOne("a", { workerId: "late", leaseMs: 10_000 });
      fixture.advance(60_000);
      const held = await fixture.claimOne("a", { workerId: "next" });
      equal("refused", (await fixture.settle(completed(late.fence, "1"))).status, "lost");
      await fixture.settled(completed(held.fence, "2"));
      match("the chain", await fixture.chain(chain.id), { status: "completed", output: "2" });
    },

  "after a failover to a clock a minute behind, leases last a minute longer, and their workers continue": async (
    fixture,
  ) => {
    const chain = await fixture.startOne(job("a"));
    const held = await fixture.claimOne("a", { leaseMs: 10_000 });
    fixture.advance(-60_000);
    equal("renewed", (await fixture.store.renew(renewalOf(held), fixture.options())).length, 0);
    equal("no one else", await fixture.claim(["a"], { workerId: "next" }), []);
    const later = await fixture.startOne(job("b"));
    match("what starts now is claimed now", await fixture.claimOne("b"), { id: later.id });
    await fixture.settled(completed(held.fence, "1"));
    match("the chain", await fixture.chain(chain.id), { status: "completed", output: "1" });
  },

  "with `now` the store uses that time for everything": async (fixture) => {
    const chain = await fixture.startOne(job("a", { schedule: { afterMs: 1_000 } }));
    equal("created", chain.createdAt, fixture.now());
    fixture.advance(-500_000_000);
    equal("not due", await fixture.claim(["a"]), []);
    fixture.advance(500_001_000);
    match("due", await fixture.claimOne("a", { leaseMs: 10 }), { waitedMs: 0, createdAt: fixture.now() - 1_000 });
    match("its lease", await fixture.job(chain.id), { leasedUntil: fixture.now() + 10, startedAt: fixture.now() });
  },
});

function renewalOf({ fence }: Held): RenewRequest {
  return { workerId: fence.workerId, held: [{ jobId: fence.jobId, fence: fence.fence, leaseMs: 10_000 }] };
}
