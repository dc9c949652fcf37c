import type { HeldLease } from "chainwright/adapter";
import { equal, match, present, rejected } from "../check.ts";
import { completed, continued, deferred, failed, job } from "./build.ts";
import { rules } from "./group.ts";
import type { Held, Stage } from "./stage.ts";

function lease({ fence }: Held, leaseMs = 1_000): HeldLease {
  return { jobId: fence.jobId, fence: fence.fence, leaseMs };
}

function renew(stage: Stage, held: readonly HeldLease[], workerId = "worker-1", tx?: unknown) {
  return stage.store.renew({ workerId, held }, stage.options(tx));
}

export const leaseCases = rules("lease", {
  "a renewed lease runs from now on": async (stage) => {
    const chain = await stage.startOne(job("a"));
    const held = await stage.claimOne("a", { leaseMs: 1_000 });
    const startedAt = stage.now();
    stage.advance(900);
    equal("nothing is lost", await renew(stage, [lease(held, 2_000)]), []);
    match("the job", await stage.job(chain.id), {
      status: "running",
      attempt: 1,
      startedAt,
      leasedUntil: stage.now() + 2_000,
    });
    stage.advance(1_999);
    equal("not claimable", await stage.claim(["a"], { workerId: "w-2" }), []);
    stage.advance(1);
    match("run out", await stage.claimOne("a", { workerId: "w-2" }), { attempt: 2 });
  },

  "each lease of one call is renewed by its own time": async (stage) => {
    const chains = await stage.start([job("a"), job("a"), job("a")]);
    const held = await stage.claim(["a"]);
    equal(
      "nothing is lost",
      await renew(
        stage,
        held.map((item, index) => lease(item, 1_000 * (index + 1))),
      ),
      [],
    );
    const jobs = await stage.store.getJobs(
      chains.map(({ id }) => id),
      stage.options(),
    );
    equal(
      "until",
      jobs.map((record) => (record?.leasedUntil ?? 0) - stage.now()),
      [1_000, 2_000, 3_000],
    );
  },

  "a lease that ran out and that nobody took is renewed: it is still its own": async (stage) => {
    await stage.startOne(job("a"));
    const held = await stage.claimOne("a", { leaseMs: 10 });
    stage.advance(5_000);
    await stage.claim(["other"], { workerId: "w-2" });
    equal("nothing is lost", await renew(stage, [lease(held)]), []);
    equal("not claimable", await stage.claim(["a"], { workerId: "w-2" }), []);
  },

  "tells which are lost and why, in the order of the request, and renews the others": async (stage) => {
    const typeNames = ["taken", "kept", "cancelled", "deleted", "completed", "continued", "failed", "given back"];
    const held = new Map<string, Held>();
    for (const typeName of typeNames) {
      await stage.startOne(job(typeName));
      held.set(typeName, await stage.claimOne(typeName, { leaseMs: typeName === "taken" ? 10 : 1_000 }));
    }
    const of = (typeName: string) => present(typeName, held.get(typeName));
    const outside = (typeName: string) => ({ chainId: of(typeName).chainId, typeName });
    stage.advance(10);
    await stage.claimOne("taken", { workerId: "w-2" });
    await stage.store.cancel([{ chainId: of("cancelled").chainId, reason: undefined }], stage.options());
    await stage.store.remove({ chainIds: [of("deleted").chainId], cascade: false }, stage.options());
    await stage.settled(completed(outside("completed")));
    await stage.settled(continued(outside("continued"), job("next")));
    await stage.settled(failed(outside("failed")));
    await stage.settled(deferred(of("given back").fence));

    const lost = await renew(
      stage,
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
    match("the kept one", await stage.job(of("kept").id), { leasedUntil: stage.now() + 5_000 });
    match("the taken one stays with who took it", await stage.job(of("taken").id), {
      leasedBy: "w-2",
      leasedUntil: stage.now() + 30_000,
    });
  },

  "a worker cannot renew what another holds": async (stage) => {
    const chain = await stage.startOne(job("a"));
    const held = await stage.claimOne("a", { workerId: "w-1", leaseMs: 1_000 });
    equal("lost", await renew(stage, [lease(held, 9_000)], "w-2"), [
      { fence: { jobId: chain.id, workerId: "w-2", fence: 1 }, reason: "lease-lost" },
    ]);
    match("as it was", await stage.job(chain.id), { leasedBy: "w-1", leasedUntil: stage.now() + 1_000 });
  },

  "a worker cannot renew an attempt of before": async (stage) => {
    const chain = await stage.startOne(job("a"));
    const first = await stage.claimOne("a", { leaseMs: 10 });
    stage.advance(10);
    await stage.claimOne("a", { leaseMs: 1_000 });
    equal("lost", await renew(stage, [lease(first, 9_000)]), [{ fence: first.fence, reason: "lease-lost" }]);
    match("as it was", await stage.job(chain.id), { attempt: 2, leasedUntil: stage.now() + 1_000 });
  },

  "renewing nothing loses nothing": async (stage) => {
    equal("nothing", await renew(stage, []), []);
  },

  "a renewal in a transaction that rolls back did not happen": async (stage) => {
    const chain = await stage.startOne(job("a"));
    const held = await stage.claimOne("a", { leaseMs: 1_000 });
    await rejected(
      "rejects",
      stage.store.transaction(async (tx) => {
        await renew(stage, [lease(held, 9_000)], "worker-1", tx);
        throw new Error("undo");
      }),
    );
    match("as it was", await stage.job(chain.id), { leasedUntil: stage.now() + 1_000 });
  },

  "once ended, a job names who ended it and when that attempt began": async (stage) => {
    const chain = await stage.startOne(job("a"));
    stage.advance(5);
    const held = await stage.claimOne("a", { workerId: "w-7" });
    const startedAt = stage.now();
    stage.advance(60);
    await stage.settled(completed(held.fence));
    match("the job", await stage.job(chain.id), {
      leasedBy: "w-7",
      startedAt,
      leasedUntil: undefined,
      endedAt: stage.now(),
      attempt: 1,
    });
  },
});
