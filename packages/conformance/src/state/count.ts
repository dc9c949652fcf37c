import { equal, match } from "../check.ts";
import { blockedBy, completed, continued, deferred, failed, job } from "./build.ts";
import { rules } from "./group.ts";
import { counts, countsAgree } from "./listing.ts";
import type { StateFixture } from "./fixture.ts";
import { accepted } from "./fixture.ts";

async function oldest(fixture: StateFixture, typeName: string): Promise<number | undefined> {
  const found = await fixture.store.count(fixture.options());
  return found.find((row) => row.typeName === typeName && row.status === "ready")?.oldestReadyMs;
}

export const countCases = rules("count", {
  "an empty store counts nothing": async (fixture) => {
    equal("nothing", await counts(fixture), {});
  },

  "counts jobs by type and status": async (fixture) => {
    await fixture.start([
      job("a"),
      job("a"),
      job("b", { schedule: { afterMs: 1_000 } }),
      job("a", { schedule: { afterMs: 1_000 } }),
    ]);
    const blocker = await fixture.startOne(job("x"));
    await fixture.startOne(job("c", { blockers: [blockedBy(blocker.id)] }));
    await fixture.claim(["a"], { limit: 1 });
    equal("counts", await counts(fixture), {
      "a ready": 1,
      "a running": 1,
      "a scheduled": 1,
      "b scheduled": 1,
      "x ready": 1,
      "c blocked": 1,
    });
    const found = await fixture.store.count(fixture.options());
    equal("one row a type and status", new Set(found.map((row) => `${row.typeName} ${row.status}`)).size, found.length);
  },

  "follows a job through every status": async (fixture) => {
    const step = async (expected: Readonly<Record<string, number>>) => {
      equal("counts", await counts(fixture), expected);
      await countsAgree(fixture);
    };
    const { id } = await fixture.startOne(job("a"));
    await step({ "a ready": 1 });
    await fixture.settled(deferred((await fixture.claimOne("a")).fence, { schedule: { afterMs: 50 } }));
    await step({ "a scheduled": 1 });
    fixture.advance(50);
    await step({ "a ready": 1 });
    const held = await fixture.claimOne("a", { leaseMs: 10 });
    await step({ "a running": 1 });
    fixture.advance(10);
    await step({ "a ready": 1 });
    await fixture.settled(continued(held.fence, job("b")));
    await step({ "a completed": 1, "b ready": 1 });
    await fixture.settled(failed({ chainId: id, typeName: "b" }));
    await step({ "a completed": 1, "b failed": 1 });
    const retry = () =>
      fixture.store.retry([{ chainId: id, input: undefined, typeName: undefined }], fixture.options());
    accepted("retried", await retry());
    await step({ "a completed": 1, "b ready": 1 });
    accepted("cancelled", await fixture.store.cancel([{ chainId: id, reason: undefined }], fixture.options()));
    await step({ "a completed": 1, "b cancelled": 1 });
    accepted("retried", await retry());
    await fixture.settled(completed({ chainId: id, typeName: "b" }));
    await step({ "a completed": 1, "b completed": 1 });
    accepted("deleted", await fixture.store.remove({ chainIds: [id], cascade: false }, fixture.options()));
    await step({});
  },

  "follows dependents that fail, are blocked again and continue": async (fixture) => {
    const blocker = await fixture.startOne(job("x"));
    await fixture.start(Array.from({ length: 5 }, () => job("a", { blockers: [blockedBy(blocker.id)] })));
    await fixture.settled(failed({ chainId: blocker.id, typeName: "x" }));
    equal("failed", await counts(fixture), { "x failed": 1, "a failed": 5 });
    accepted(
      "retried",
      await fixture.store.retry([{ chainId: blocker.id, input: undefined, typeName: undefined }], fixture.options()),
    );
    equal("blocked again", await counts(fixture), { "x ready": 1, "a blocked": 5 });
    await fixture.settled(completed({ chainId: blocker.id, typeName: "x" }));
    equal("ready", await counts(fixture), { "x completed": 1, "a ready": 5 });
  },

  "is correct after many concurrent writers and after maintenance": async (fixture) => {
    const other = await fixture.connect();
    await fixture.start(Array.from({ length: 60 }, () => job("a")));
    const held = await fixture.claim(["a"]);
    await Promise.all(
      Array.from({ length: 6 }, (_, index) => {
        const own = index % 2 === 0 ? fixture : other;
        const part = held.slice(index * 10, index * 10 + 10);
        return own.insist(() =>
          own.store.settle(
            part.map(({ fence }, place) => (place < 3 ? failed(fence) : completed(fence))),
            own.options(),
          ),
        );
      }),
    );
    equal("counts", await counts(fixture), { "a completed": 42, "a failed": 18 });
    const upkeep = { completedMs: undefined, failedMs: undefined, limit: 100 };
    for (let pass = 0; pass < 3; pass += 1) await fixture.store.maintain(upkeep, fixture.options());
    equal("the same", await counts(fixture), { "a completed": 42, "a failed": 18 });
  },

  "returns how long the oldest ready job of a type has been ready": async (fixture) => {
    await fixture.startOne(job("a"));
    fixture.advance(300);
    await fixture.start([job("a"), job("b"), job("c", { schedule: { afterMs: 100 } })]);
    equal("a", await oldest(fixture, "a"), 300);
    equal("b", await oldest(fixture, "b"), 0);
    equal("none is ready", await oldest(fixture, "c"), undefined);
    fixture.advance(150);
    equal("a", await oldest(fixture, "a"), 450);
    equal("since it was due", await oldest(fixture, "c"), 50);
    await fixture.claim(["a"], { limit: 1 });
    equal("of those that are left", await oldest(fixture, "a"), 150);
  },

  "puts together priorities, leases that ran out and what came due": async (fixture) => {
    await fixture.start([job("a", { priority: 1 }), job("a"), job("a", { schedule: { afterMs: 100 } })]);
    await fixture.claimOne("a", { leaseMs: 10 });
    fixture.advance(150);
    await fixture.start([job("a", { priority: -1 }), job("a", { schedule: { afterMs: 100 } })]);
    equal("counts", await counts(fixture), { "a ready": 4, "a scheduled": 1 });
    equal("the job that no one has claimed", await oldest(fixture, "a"), 150);
    await fixture.claim(["a"], { limit: 2 });
    equal("counts", await counts(fixture), { "a ready": 2, "a running": 2, "a scheduled": 1 });
    equal("the one that came due", await oldest(fixture, "a"), 50);
  },

  "returns no oldest job for a type without ready jobs": async (fixture) => {
    await fixture.start([job("a"), job("b", { schedule: { afterMs: 100 } })]);
    await fixture.claim(["a"]);
    await fixture.completedChain(job("c"));
    for (const row of await fixture.store.count(fixture.options()))
      match(row.status, row, { oldestReadyMs: undefined });
  },
});
