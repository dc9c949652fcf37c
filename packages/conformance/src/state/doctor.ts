import type { DoctorCheck, FaultKind } from "chainwright";
import type { JobStart, RepairOutcome, StoreFault } from "chainwright/adapter";
import { equal, match, only } from "../check.ts";
import { blockedBy, completed, continued, failed, job, newId } from "./build.ts";
import { rules, rulesWith } from "./group.ts";
import { chains, counts, countsAgree, statuses } from "./listing.ts";
import { carryOn, many, waitingFor } from "./releasing.ts";
import { accepted } from "./stage.ts";
import type { Stage } from "./stage.ts";

const checks: readonly DoctorCheck[] = ["jobs", "leases", "blockers", "keys", "counts", "schema"];
const given = { heldBeforeMs: 60_000, timeMs: 30_000 };

/** All that is wrong, in pages of this size. */
async function examine(stage: Stage, limit = 2): Promise<readonly StoreFault[]> {
  const faults: StoreFault[] = [];
  for (const check of checks) {
    let after: string | undefined;
    do {
      const reply = await stage.store.inspect({ check, after, limit, ...given }, stage.options());
      faults.push(...reply.faults);
      equal("nothing is cut short", reply.isCut, false);
      after = reply.next;
    } while (after !== undefined);
  }
  return faults;
}

function mend(stage: Stage, faults: readonly StoreFault[]): Promise<readonly RepairOutcome[]> {
  return stage.store.repair({ faults, limit: 2, timeMs: 30_000 }, stage.options());
}

/** Finds this fault and no other, mends it, and finds nothing; to mend it again changes nothing. */
async function findAndMend(stage: Stage, kind: FaultKind, details: Partial<StoreFault> = {}): Promise<void> {
  const fault = only(`one fault`, await examine(stage));
  match("it", fault, { kind, ...details });
  equal("looking changes nothing", await examine(stage), [fault]);
  equal("mended", await mend(stage, [fault]), ["repaired"]);
  equal("nothing is left", await examine(stage), []);
  equal("once is enough", await mend(stage, [fault]), ["gone"]);
  await countsAgree(stage);
}

/** What a healthy store can hold: nothing of it is a fault. */
async function healthy(stage: Stage): Promise<void> {
  const [broken, done] = await stage.start([job("h"), job("h")]);
  await stage.settled(failed({ chainId: broken?.id ?? "", typeName: "h" }));
  await stage.settled(completed({ chainId: done?.id ?? "", typeName: "h" }));
  const key = { key: "healthy", scope: "any", windowMs: undefined } as const;
  const keyed = await stage.startOne(job("h", { deduplication: key }));
  await stage.settled(completed({ chainId: keyed.id, typeName: "h" }));
  await stage.start([
    job("h", { schedule: { afterMs: 1_000 } }),
    job("h", { blockers: [blockedBy(broken?.id ?? "")], onBlockerFailure: "wait" }),
    job("h", { blockers: [blockedBy(broken?.id ?? ""), blockedBy(done?.id ?? "")] }),
    job("h", { blockers: [{ start: job("h") }, blockedBy(done?.id ?? "")], schedule: { afterMs: 1_000 } }),
  ]);
}

const keyed = (key: string): Partial<JobStart> => ({
  deduplication: { key, scope: "active", windowMs: undefined },
});

export const doctorCases = rulesWith("doctor", "faults", {
  "jobs without their chain's first job are found, and deleted": async (stage) => {
    await healthy(stage);
    const chain = await stage.startOne(job("a"));
    for (const [from, to] of ["ab", "bc", "cd"]) {
      await stage.settled(continued({ chainId: chain.id, typeName: from ?? "" }, job(to ?? "")));
    }
    await stage.planting().loseFirstJob(chain.id);
    await findAndMend(stage, "job-without-chain");
    equal("nothing of it runs", await stage.claim(["a", "b", "c", "d"]), []);
  },

  "an open job that is in no queue is found, and put back": async (stage) => {
    await healthy(stage);
    const chain = await stage.startOne(job("a"));
    const next = job("b");
    await stage.settled(continued({ chainId: chain.id, typeName: "a" }, next));
    const lost = await stage.claimOne("b");
    await stage.settled({
      target: lost.fence,
      kind: "deferred",
      schedule: undefined,
      counted: true,
      errors: undefined,
    });
    await stage.planting().loseOpenJob(next.id);
    equal("no one finds it", await stage.claim(["b"]), []);
    await findAndMend(stage, "chain-without-open-job", { id: chain.id, chainId: chain.id, typeName: "b" });
    const held = await stage.claimOne("b");
    equal("it is there again", held.id, next.id);
    equal("who held it before does not any more", (await stage.settle(completed(lost.fence))).status, "lost");
    await stage.settled(completed(held.fence));
  },

  "a chain whose open job is lost can be deleted": async (stage) => {
    const chain = await stage.startOne(job("a"));
    await stage.planting().loseOpenJob(chain.id);
    accepted("accepted", await stage.store.remove({ chainIds: [chain.id], cascade: false }, stage.options()));
    equal("nothing is left", [await examine(stage), await counts(stage)], [[], {}]);
  },

  "the lease of a worker that does not say that it lives is found once it is a minute old, and ended": async (
    stage,
  ) => {
    await healthy(stage);
    const chain = await stage.startOne(job("a"));
    const lost = await stage.claimOne("a", { workerId: "gone", leaseMs: 3_600_000 });
    equal("it may only just have begun", await examine(stage), []);
    stage.advance(60_000);
    const alive = { workerId: "gone", name: "n", typeNames: ["a"], concurrency: 1, holds: 1, aliveForMs: 30_000 };
    await stage.store.heartbeat(alive, stage.options());
    equal("it lives", await examine(stage), []);
    const early: StoreFault = { kind: "lease-of-no-one", id: chain.id, chainId: chain.id, workerId: "gone" };
    equal("and keeps it", await mend(stage, [early]), ["gone"]);
    stage.advance(30_000);
    await findAndMend(stage, "lease-of-no-one", { id: chain.id, workerId: "gone", typeName: "a" });
    const held = await stage.claimOne("a", { workerId: "other" });
    equal("an attempt more", held.attempt, 2);
    equal("the one before is refused", (await stage.settle(completed(lost.fence))).status, "lost");
    await stage.settled(completed(held.fence));
  },

  "a job that waits for nothing is found, and released": async (stage) => {
    await healthy(stage);
    const [one, two] = await stage.start([job("x"), job("x")]);
    const waiting = await stage.startOne(job("a", { blockers: [blockedBy(one?.id ?? ""), blockedBy(two?.id ?? "")] }));
    for (const each of [one, two]) {
      await stage.planting().setBlockersLeft(waiting.id, 2);
      await stage.settled(completed({ chainId: each?.id ?? "", typeName: "x" }));
    }
    await findAndMend(stage, "missed-release", { id: waiting.id, chainId: waiting.id, typeName: "a" });
    equal("it runs, and sees its blockers", (await stage.claimOne("a")).blockers.length, 2);
  },

  "a job that counts too few chains is found, and waits for all": async (stage) => {
    const [one, two] = await stage.start([job("x"), job("x")]);
    const waiting = await stage.startOne(job("a", { blockers: [blockedBy(one?.id ?? ""), blockedBy(two?.id ?? "")] }));
    await stage.planting().setBlockersLeft(waiting.id, 1);
    await findAndMend(stage, "missed-release", { id: waiting.id });
    await stage.settled(completed({ chainId: one?.id ?? "", typeName: "x" }));
    equal("one more", await stage.claim(["a"]), []);
    await stage.settled(completed({ chainId: two?.id ?? "", typeName: "x" }));
    equal("and then it runs", (await stage.claimOne("a")).id, waiting.id);
  },

  "a job that should have failed with its blocker is found, and fails": async (stage) => {
    await healthy(stage);
    const blocker = await stage.startOne(job("x"));
    const waiting = await stage.startOne(job("a", { blockers: [blockedBy(blocker.id)], onBlockerFailure: "wait" }));
    await stage.settled(failed({ chainId: blocker.id, typeName: "x" }));
    await stage.planting().failsWithBlockers(waiting.id);
    await findAndMend(stage, "missed-failure", { id: waiting.id, chainId: blocker.id });
    await stage.look(["nothing"]);
    equal("it failed", await statuses(stage, [waiting.id]), ["failed"]);
    equal("for good", await examine(stage), []);
  },

  "an entry of something that is no job is found, and deleted": async (stage) => {
    await healthy(stage);
    const chain = await stage.startOne(job("x"));
    await stage.planting().addBlocker(chain.id);
    await findAndMend(stage, "blocker-without-job", { chainId: chain.id });
    await stage.settled(completed({ chainId: chain.id, typeName: "x" }));
  },

  "the key of a chain that has ended is found, and freed": async (stage) => {
    await healthy(stage);
    const chain = await stage.startOne(job("a", keyed("k")));
    await stage.settled(completed({ chainId: chain.id, typeName: "a" }));
    await stage.planting().keepKey("k", chain.id);
    await findAndMend(stage, "stale-key", { id: "k", chainId: chain.id });
    equal("a new chain", (await stage.startOne(job("a", keyed("k")))).deduplicated, false);
    equal("which holds it", await examine(stage), []);
  },

  "a key that another chain has taken meanwhile is left to that": async (stage) => {
    const chain = await stage.startOne(job("a", keyed("k")));
    const stale: StoreFault = { kind: "stale-key", id: "k", chainId: chain.id, typeName: "a" };
    equal("gone", await mend(stage, [stale]), ["gone"]);
    equal("still held", (await stage.startOne(job("a", keyed("k")))).id, chain.id);
  },

  "wrong counts are found, and corrected, those that are too high and those that are too low": async (stage) => {
    await healthy(stage);
    for (const typeName of ["a", "b", "b"]) await stage.completedChain(job(typeName));
    await stage.planting().addToCount("a", 5);
    await stage.planting().addToCount("b", -2);
    const faults = await examine(stage);
    const told = faults.map(({ kind, id, typeName, counted, actual }) => [kind, id, typeName, counted, actual]);
    equal(
      "both",
      told.toSorted((left, right) => String(left[2]).localeCompare(String(right[2]))),
      [
        ["wrong-count", "completed", "a", 6, 1],
        ["wrong-count", "completed", "b", 0, 2],
      ],
    );
    equal("mended", await mend(stage, faults), ["repaired", "repaired"]);
    equal("nothing is left", await examine(stage), []);
    equal("once is enough", await mend(stage, faults), ["gone", "gone"]);
    await countsAgree(stage);
  },

  "wrong counts are corrected by the difference, whatever ends meanwhile, and by one of two who try": async (stage) => {
    const other = await stage.connect();
    for (let round = 0; round < 5; round += 1) {
      await stage.planting().addToCount("a", 7);
      const faults = await examine(stage);
      const ending = Array.from({ length: 10 }, () => other.completedChain(job("a")));
      const [left, right] = await Promise.all([mend(stage, faults), mend(other, faults), ...ending]);
      equal("no one twice", [left, right].flat().filter((outcome) => outcome === "repaired").length, 1);
      equal("true again", await examine(stage), []);
    }
    await countsAgree(stage);
  },

  "many faults come in pages, each once": async (stage) => {
    const started = await stage.start(Array.from({ length: 7 }, () => job("a")));
    for (const { id } of started) await stage.planting().loseOpenJob(id);
    const faults = await examine(stage);
    equal("all", faults.map(({ id }) => id).toSorted(), started.map(({ id }) => id).toSorted());
    equal("mended", [...new Set(await mend(stage, faults))], ["repaired"]);
    equal("nothing is left", await examine(stage, 100), []);
    equal("all are there again", (await stage.claim(["a"])).length, 7);
  },
});

/** Starts, ends, cancels, retries and deletes chains that wait for each other, many for one. */
async function churn(stage: Stage, who: string, round: number): Promise<void> {
  const blocker = await stage.startOne(job("x", keyed(`${who} ${round % 3}`)));
  const waiting = await stage.start(
    Array.from({ length: 40 }, (_, n) =>
      job("a", { blockers: [blockedBy(blocker.id)], onBlockerFailure: n % 2 === 0 ? "fail" : "wait" }),
    ),
  );
  const held = await stage.claim(["x", "a", "b"], { limit: 10 });
  for (const [n, { fence }] of held.entries()) {
    await stage.insist(() =>
      stage.settle(n % 3 === 0 ? continued(fence, job("b")) : n % 3 === 1 ? completed(fence) : failed(fence)),
    );
  }
  const ids = waiting.slice(0, 5).map(({ id }) => id);
  await stage.insist(() => stage.store.cancel([{ chainId: blocker.id, reason: undefined }], stage.options()));
  await stage.insist(() =>
    stage.store.retry([{ chainId: blocker.id, input: undefined, typeName: undefined }], stage.options()),
  );
  await stage.insist(() => stage.store.remove({ chainIds: ids.slice(0, 1), cascade: true }, stage.options()));
  if (round % 4 === 3)
    await stage.insist(() => stage.store.remove({ chainIds: [blocker.id], cascade: true }, stage.options()));
}

export const doctorLoadCases = rules("doctor", {
  "a healthy store has no faults": async (stage) => {
    await healthy(stage);
    equal("none", await examine(stage), []);
    equal("an unknown fault of it is gone", await mend(stage, [{ kind: "stale-key", id: "k", chainId: newId() }]), [
      "gone",
    ]);
  },

  "jobs that are still to be released, or to fail, after the end of their chain are no fault": async (stage) => {
    const [done, broken] = await stage.start([job("x"), job("x")]);
    for (const chain of [done, broken]) await stage.start(waitingFor(chain?.id ?? "", many));
    const completion = await stage.settled(completed({ chainId: done?.id ?? "", typeName: "x" }));
    equal("jobs are still to be released", [completion.releasing, await examine(stage, 100)], [true, []]);
    await carryOn(stage, [completion]);
    const failure = await stage.settled(failed({ chainId: broken?.id ?? "", typeName: "x" }));
    equal("jobs are still to fail", [failure.releasing, await examine(stage, 100)], [true, []]);
    await carryOn(stage, [failure]);
    equal("none at the end", await examine(stage, 100), []);
  },

  "a busy store has no faults": async (stage) => {
    const others = await Promise.all([stage.connect(), stage.connect()]);
    const busy = { still: true };
    const look = async () => {
      const found: StoreFault[] = [];
      while (busy.still) found.push(...(await examine(stage, 25)));
      return found;
    };
    const work = async (other: Stage, who: number) => {
      for (let round = 0; round < 12; round += 1) await churn(other, `${who}`, round);
    };
    const working = Promise.all(others.map(work)).finally(() => {
      busy.still = false;
    });
    const [found] = await Promise.all([look(), working]);
    equal("none while it was", found, []);
    equal("none after", await examine(stage, 100), []);
    equal("it was busy", (await chains(stage)).length > 100, true);
  },
});
