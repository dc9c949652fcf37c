import type { HeldLease } from "chainwright/adapter";
import { equal, match, present, rejected } from "../check.ts";
import { completed, continued, deferred, failed, job } from "./build.ts";
import { rules } from "./group.ts";
import type { Held, StateFixture } from "./fixture.ts";

function lease({ fence }: Held, leaseMs = 1_000): HeldLease {
  return { jobId: fence.jobId, fence: fence.fence, leaseMs };
}

function renew(fixture: StateFixture, held: readonly HeldLease[], workerId = "worker-1", tx?: unknown) {
  return fixture.store.renew({ workerId, held }, fixture.options(tx));
}

export const leaseCases = rules("lease", {
  "a renewed lease runs from the time of the renewal": async (fixture) => {
    const chain = await fixture.startOne(job("a"));
    const held = await fixture.claimOne("a", { leaseMs: 1_000 });
    const startedAt = fixture.now();
    fixture.advance(900);
    equal("nothing is lost", await renew(fixture, [lease(held, 2_000)]), []);
    match("the job", await fixture.job(chain.id), {
      status: "running",
      attempt: 1,
      startedAt,
      leasedUntil: fixture.now() + 2_000,
    });
    fixture.advance(1_999);
    equal("not claimable", await fixture.claim(["a"], { workerId: "w-2" }), []);
    fixture.advance(1);
    match("run out", await fixture.claimOne("a", { workerId: "w-2" }), { attempt: 2 });
  },

  "each lease of one call is renewed by its own time": async (fixture) => {
    const chains = await fixture.start([job("a"), job("a"), job("a")]);
    const held = await fixture.claim(["a"]);
    equal(
      "nothing is lost",
      await renew(
        fixture,
        held.map((item, index) => lease(item, 1_000 * (index + 1))),
      ),
      [],
    );
    const jobs = await fixture.store.getJobs(
      chains.map(({ id }) => id),
      fixture.options(),
    );
    equal(
      "until",
      jobs.map((record) => (record?.leasedUntil ?? 0) - fixture.now()),
      [1_000, 2_000, 3_000],
    );
  },

  "a lease that ran out is renewed while no one has claimed the job": async (fixture) => {
    await fixture.startOne(job("a"));
    const held = await fixture.claimOne("a", { leaseMs: 10 });
    fixture.advance(5_000);
    await fixture.claim(["other"], { workerId: "w-2" });
    equal("nothing is lost", await renew(fixture, [lease(held)]), []);
    equal("not claimable", await fixture.claim(["a"], { workerId: "w-2" }), []);
  },

  "returns the lost leases with their reasons, in the order of the request, and renews the others": async (fixture) => {
    const typeNames = ["taken", "kept", "cancelled", "deleted", "completed", "continued", "failed", "given back"];
    const held = new Map<string, Held>();
    for (const typeName of typeNames) {
      await fixture.startOne(job(typeName));
      held.set(typeName, await fixture.claimOne(typeName, { leaseMs: typeName === "taken" ? 10 : 1_000 }));
    }
    const of = (typeName: string) => present(typeName, held.get(typeName));
    const outside = (typeName: string) => ({ chainId: of(typeName).chainId, typeName });
    fixture.advance(10);
    await fixture.claimOne("taken", { workerId: "w-2" });
    await fixture.store.cancel([{ chainId: of("cancelled").chainId, reason: undefined }], fixture.options());
    await fixture.store.remove({ chainIds: [of("deleted").chainId], cascade: false }, fixture.options());
    await fixture.settled(completed(outside("completed")));
    await fixture.settled(continued(outside("continued"), job("next")));
    await fixture.settled(failed(outside("failed")));
    await fixture.settled(deferred(of("given back").fence));

    const lost = await renew(
      fixture,
      typeNames.map((typeName) => lease(of(typeName), 5_000)),
    );
    equal(
      "lost",
      lost.map(({ fence, reason }) => [typeNames.find((name) => of(name).id === fence.jobId), fence.fence, reason]),
      [
        ["taken", 1, "lease-lost"],
        ["cancelled", 1, "cancelled"],
        ["deleted", 1, "cancelled"],
        ["completed", 1, "completed-elsewhere"],
        ["continued", 1, "completed-elsewhere"],
        ["failed", 1, "completed-elsewhere"],
        ["given back", 1, "lease-lost"],
      ],
    );
    equal("whole fences", lost[0]?.fence, of("taken").fence);
    match("the kept one", await fixture.job(of("kept").id), { leasedUntil: fixture.now() + 5_000 });
    match("the claimed job keeps its new lease", await fixture.job(of("taken").id), {
      leasedBy: "w-2",
      leasedUntil: fixture.now() + 30_000,
    });
  },

  "a worker cannot renew the lease of another": async (fixture) => {
    const chain = await fixture.startOne(job("a"));
    const held = await fixture.claimOne("a", { workerId: "w-1", leaseMs: 1_000 });
    equal("lost", await renew(fixture, [lease(held, 9_000)], "w-2"), [
      { fence: { jobId: chain.id, workerId: "w-2", fence: 1 }, reason: "lease-lost" },
    ]);
    match("as it was", await fixture.job(chain.id), { leasedBy: "w-1", leasedUntil: fixture.now() + 1_000 });
  },

  "a worker cannot renew an earlier attempt": async (fixture) => {
    const chain = await fixture.startOne(job("a"));
    const first = await fixture.claimOne("a", { leaseMs: 10 });
    fixture.advance(10);
    await fixture.claimOne("a", { leaseMs: 1_000 });
    equal("lost", await renew(fixture, [lease(first, 9_000)]), [{ fence: first.fence, reason: "lease-lost" }]);
    match("as it was", await fixture.job(chain.id), { attempt: 2, leasedUntil: fixture.now() + 1_000 });
  },

  "renewing nothing loses nothing": async (fixture) => {
    equal("nothing", await renew(fixture, []), []);
  },

  "a renewal in a transaction that rolls back did not happen": async (fixture) => {
    const chain = await fixture.startOne(job("a"));
    const held = await fixture.claimOne("a", { leaseMs: 1_000 });
    await rejected(
      "rejects",
      fixture.store.transaction(async (tx) => {
        await renew(fixture, [lease(held, 9_000)], "worker-1", tx);
        throw new Error("undo");
      }),
    );
    match("as it was", await fixture.job(chain.id), { leasedUntil: fixture.now() + 1_000 });
  },

  "a ready job has the lease that ran out until it is claimed again": async (fixture) => {
    const chain = await fixture.startOne(job("a"));
    equal("never claimed", (await fixture.job(chain.id)).lapsed, undefined);
    const held = await fixture.claimOne("a", { workerId: "w-1", leaseMs: 10 });
    const startedAt = fixture.now();
    equal("while it runs", (await fixture.job(chain.id)).lapsed, undefined);
    fixture.advance(10);
    const lapsed = { leasedBy: "w-1", startedAt, leasedUntil: fixture.now() };
    match("run out", await fixture.job(chain.id), { status: "ready", attempt: 1, leasedBy: undefined, lapsed });
    fixture.advance(1_000);
    equal("later", (await fixture.job(chain.id)).lapsed, lapsed);
    await renew(fixture, [lease(held)], "w-1");
    match("renewed", await fixture.job(chain.id), { status: "running", lapsed: undefined });
    fixture.advance(1_000);
    const next = await fixture.claimOne("a", { workerId: "w-2" });
    match("claimed again", await fixture.job(chain.id), { status: "running", attempt: 2, lapsed: undefined });
    await fixture.settled(deferred(next.fence));
    match("given back", await fixture.job(chain.id), { status: "ready", lapsed: undefined });
  },

  "once ended, a job names who ended it and when that attempt began": async (fixture) => {
    const chain = await fixture.startOne(job("a"));
    fixture.advance(5);
    const held = await fixture.claimOne("a", { workerId: "w-7" });
    const startedAt = fixture.now();
    fixture.advance(60);
    await fixture.settled(completed(held.fence));
    match("the job", await fixture.job(chain.id), {
      leasedBy: "w-7",
      startedAt,
      leasedUntil: undefined,
      endedAt: fixture.now(),
      attempt: 1,
    });
  },
});
