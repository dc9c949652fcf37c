import { equal, match } from "../check.ts";
import { blockedBy, completed, continued, deferred, failed, job } from "./build.ts";
import { rules } from "./group.ts";
import { counts, countsAgree } from "./listing.ts";
import type { Stage } from "./stage.ts";
import { accepted } from "./stage.ts";

async function oldest(stage: Stage, typeName: string): Promise<number | undefined> {
  const found = await stage.store.count(stage.options());
  return found.find((row) => row.typeName === typeName && row.status === "ready")?.oldestReadyMs;
}

export const countCases = rules("count", {
  "an empty store counts nothing": async (stage) => {
    equal("nothing", await counts(stage), {});
  },

  "counts jobs by type and status": async (stage) => {
    await stage.start([
      job("a"),
      job("a"),
      job("b", { schedule: { afterMs: 1_000 } }),
      job("a", { schedule: { afterMs: 1_000 } }),
    ]);
    const blocker = await stage.startOne(job("x"));
    await stage.startOne(job("c", { blockers: [blockedBy(blocker.id)] }));
    await stage.claim(["a"], { limit: 1 });
    equal("counts", await counts(stage), {
      "a ready": 1,
      "a running": 1,
      "a scheduled": 1,
      "b scheduled": 1,
      "x ready": 1,
      "c blocked": 1,
    });
    const found = await stage.store.count(stage.options());
    equal("one row a type and status", new Set(found.map((row) => `${row.typeName} ${row.status}`)).size, found.length);
  },

  "follows a job through everything that can become of it": async (stage) => {
    const step = async (expected: Readonly<Record<string, number>>) => {
      equal("counts", await counts(stage), expected);
      await countsAgree(stage);
    };
    const { id } = await stage.startOne(job("a"));
    await step({ "a ready": 1 });
    await stage.settled(deferred((await stage.claimOne("a")).fence, { schedule: { afterMs: 50 } }));
    await step({ "a scheduled": 1 });
    stage.advance(50);
    await step({ "a ready": 1 });
    const held = await stage.claimOne("a", { leaseMs: 10 });
    await step({ "a running": 1 });
    stage.advance(10);
    await step({ "a ready": 1 });
    await stage.settled(continued(held.fence, job("b")));
    await step({ "a completed": 1, "b ready": 1 });
    await stage.settled(failed({ chainId: id, typeName: "b" }));
    await step({ "a completed": 1, "b failed": 1 });
    const retry = () => stage.store.retry([{ chainId: id, input: undefined, typeName: undefined }], stage.options());
    accepted("retried", await retry());
    await step({ "a completed": 1, "b ready": 1 });
    accepted("cancelled", await stage.store.cancel([{ chainId: id, reason: undefined }], stage.options()));
    await step({ "a completed": 1, "b cancelled": 1 });
    accepted("retried", await retry());
    await stage.settled(completed({ chainId: id, typeName: "b" }));
    await step({ "a completed": 1, "b completed": 1 });
    accepted("deleted", await stage.store.remove({ chainIds: [id], cascade: false }, stage.options()));
    await step({});
  },

  "follows dependents that fail, come back and go on": async (stage) => {
    const blocker = await stage.startOne(job("x"));
    await stage.start(Array.from({ length: 5 }, () => job("a", { blockers: [blockedBy(blocker.id)] })));
    await stage.settled(failed({ chainId: blocker.id, typeName: "x" }));
    equal("failed", await counts(stage), { "x failed": 1, "a failed": 5 });
    accepted(
      "retried",
      await stage.store.retry([{ chainId: blocker.id, input: undefined, typeName: undefined }], stage.options()),
    );
    equal("blocked again", await counts(stage), { "x ready": 1, "a blocked": 5 });
    await stage.settled(completed({ chainId: blocker.id, typeName: "x" }));
    equal("ready", await counts(stage), { "x completed": 1, "a ready": 5 });
  },

  "is right after many writers at the same time, and after upkeep": async (stage) => {
    const other = await stage.connect();
    await stage.start(Array.from({ length: 60 }, () => job("a")));
    const held = await stage.claim(["a"]);
    await Promise.all(
      Array.from({ length: 6 }, (_, index) => {
        const own = index % 2 === 0 ? stage : other;
        const part = held.slice(index * 10, index * 10 + 10);
        return own.insist(() =>
          own.store.settle(
            part.map(({ fence }, place) => (place < 3 ? failed(fence) : completed(fence))),
            own.options(),
          ),
        );
      }),
    );
    equal("counts", await counts(stage), { "a completed": 42, "a failed": 18 });
    const upkeep = { completedMs: undefined, failedMs: undefined, limit: 100 };
    for (let pass = 0; pass < 3; pass += 1) await stage.store.maintain(upkeep, stage.options());
    equal("the same", await counts(stage), { "a completed": 42, "a failed": 18 });
  },

  "tells how long the oldest ready job of a type has been ready": async (stage) => {
    await stage.startOne(job("a"));
    stage.advance(300);
    await stage.start([job("a"), job("b"), job("c", { schedule: { afterMs: 100 } })]);
    equal("a", await oldest(stage, "a"), 300);
    equal("b", await oldest(stage, "b"), 0);
    equal("none is ready", await oldest(stage, "c"), undefined);
    stage.advance(150);
    equal("a", await oldest(stage, "a"), 450);
    equal("since it was due", await oldest(stage, "c"), 50);
    await stage.claim(["a"], { limit: 1 });
    equal("of those that are left", await oldest(stage, "a"), 150);
  },

  "puts together priorities, leases that ran out and what came due": async (stage) => {
    await stage.start([job("a", { priority: 1 }), job("a"), job("a", { schedule: { afterMs: 100 } })]);
    await stage.claimOne("a", { leaseMs: 10 });
    stage.advance(150);
    await stage.start([job("a", { priority: -1 }), job("a", { schedule: { afterMs: 100 } })]);
    equal("counts", await counts(stage), { "a ready": 4, "a scheduled": 1 });
    equal("the one that nobody took", await oldest(stage, "a"), 150);
    await stage.claim(["a"], { limit: 2 });
    equal("counts", await counts(stage), { "a ready": 2, "a running": 2, "a scheduled": 1 });
    equal("the one that came due", await oldest(stage, "a"), 50);
  },

  "only ready jobs have an oldest": async (stage) => {
    await stage.start([job("a"), job("b", { schedule: { afterMs: 100 } })]);
    await stage.claim(["a"]);
    await stage.completedChain(job("c"));
    for (const row of await stage.store.count(stage.options())) match(row.status, row, { oldestReadyMs: undefined });
  },
});
