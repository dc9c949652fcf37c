import type { JobStart, StoreFault } from "chainwright/adapter";
import { equal } from "../check.ts";
import { blockedBy, completed, continued, failed, job, newId } from "./build.ts";
import { examine, findAndMend, healthy, mend } from "./examining.ts";
import { rules, rulesWith } from "./group.ts";
import { chains, counts, countsAgree, statuses } from "./listing.ts";
import { carryOn, many, waitingFor } from "./releasing.ts";
import { accepted } from "./fixture.ts";
import type { StateFixture } from "./fixture.ts";

const keyed = (key: string): Partial<JobStart> => ({
  deduplication: { key, scope: "active", windowMs: undefined },
});

export const doctorCases = rulesWith("doctor", "faults", {
  "jobs without their chain's first job are found, and deleted": async (fixture) => {
    await healthy(fixture);
    const chain = await fixture.startOne(job("a"));
    for (const [from, to] of ["ab", "bc", "cd"]) {
      await fixture.settled(continued({ chainId: chain.id, typeName: from ?? "" }, job(to ?? "")));
    }
    await fixture.planting().loseFirstJob(chain.id);
    await findAndMend(fixture, "job-without-chain");
    equal("nothing of it runs", await fixture.claim(["a", "b", "c", "d"]), []);
  },

  "an open job that is in no queue is found, and put back": async (fixture) => {
    await healthy(fixture);
    const chain = await fixture.startOne(job("a"));
    const next = job("b");
    await fixture.settled(continued({ chainId: chain.id, typeName: "a" }, next));
    const lost = await fixture.claimOne("b");
    await fixture.settled({
      target: lost.fence,
      kind: "deferred",
      schedule: undefined,
      counted: true,
      errors: undefined,
    });
    await fixture.planting().loseOpenJob(next.id);
    equal("no claim finds it", await fixture.claim(["b"]), []);
    await findAndMend(fixture, "chain-without-open-job", { id: chain.id, chainId: chain.id, typeName: "b" });
    const held = await fixture.claimOne("b");
    equal("it is there again", held.id, next.id);
    equal("the previous holder has lost it", (await fixture.settle(completed(lost.fence))).status, "lost");
    await fixture.settled(completed(held.fence));
  },

  "a chain whose open job is lost can be deleted": async (fixture) => {
    const chain = await fixture.startOne(job("a"));
    await fixture.planting().loseOpenJob(chain.id);
    accepted("accepted", await fixture.store.remove({ chainIds: [chain.id], cascade: false }, fixture.options()));
    equal("nothing is left", [await examine(fixture), await counts(fixture)], [[], {}]);
  },

  "the lease of a worker without a heartbeat is found once it is a minute old, and ended": async (fixture) => {
    await healthy(fixture);
    const chain = await fixture.startOne(job("a"));
    const lost = await fixture.claimOne("a", { workerId: "gone", leaseMs: 3_600_000 });
    equal("it may only just have begun", await examine(fixture), []);
    fixture.advance(60_000);
    const alive = { workerId: "gone", name: "n", typeNames: ["a"], concurrency: 1, holds: 1, aliveForMs: 30_000 };
    await fixture.store.heartbeat(alive, fixture.options());
    equal("it lives", await examine(fixture), []);
    const early: StoreFault = { kind: "lease-of-no-one", id: chain.id, chainId: chain.id, workerId: "gone" };
    equal("and keeps it", await mend(fixture, [early]), ["gone"]);
    fixture.advance(30_000);
    await findAndMend(fixture, "lease-of-no-one", { id: chain.id, workerId: "gone", typeName: "a" });
    const held = await fixture.claimOne("a", { workerId: "other" });
    equal("an attempt more", held.attempt, 2);
    equal("the one before is refused", (await fixture.settle(completed(lost.fence))).status, "lost");
    await fixture.settled(completed(held.fence));
  },

  "a job that waits for nothing is found, and released": async (fixture) => {
    await healthy(fixture);
    const [one, two] = await fixture.start([job("x"), job("x")]);
    const waiting = await fixture.startOne(
      job("a", { blockers: [blockedBy(one?.id ?? ""), blockedBy(two?.id ?? "")] }),
    );
    for (const each of [one, two]) {
      await fixture.planting().setBlockersLeft(waiting.id, 2);
      await fixture.settled(completed({ chainId: each?.id ?? "", typeName: "x" }));
    }
    await findAndMend(fixture, "missed-release", { id: waiting.id, chainId: waiting.id, typeName: "a" });
    equal("it runs, and sees its blockers", (await fixture.claimOne("a")).blockers.length, 2);
  },

  "a job that counts too few chains is found, and waits for all": async (fixture) => {
    const [one, two] = await fixture.start([job("x"), job("x")]);
    const waiting = await fixture.startOne(
      job("a", { blockers: [blockedBy(one?.id ?? ""), blockedBy(two?.id ?? "")] }),
    );
    await fixture.planting().setBlockersLeft(waiting.id, 1);
    await findAndMend(fixture, "missed-release", { id: waiting.id });
    await fixture.settled(completed({ chainId: one?.id ?? "", typeName: "x" }));
    equal("one more", await fixture.claim(["a"]), []);
    await fixture.settled(completed({ chainId: two?.id ?? "", typeName: "x" }));
    equal("and then it runs", (await fixture.claimOne("a")).id, waiting.id);
  },

  "a job that should have failed with its blocker is found, and fails": async (fixture) => {
    await healthy(fixture);
    const blocker = await fixture.startOne(job("x"));
    const waiting = await fixture.startOne(job("a", { blockers: [blockedBy(blocker.id)], onBlockerFailure: "wait" }));
    await fixture.settled(failed({ chainId: blocker.id, typeName: "x" }));
    await fixture.planting().failsWithBlockers(waiting.id);
    await findAndMend(fixture, "missed-failure", { id: waiting.id, chainId: blocker.id });
    await fixture.look(["nothing"]);
    equal("it failed", await statuses(fixture, [waiting.id]), ["failed"]);
    equal("for good", await examine(fixture), []);
  },

  "an entry that belongs to no job is found, and deleted": async (fixture) => {
    await healthy(fixture);
    const chain = await fixture.startOne(job("x"));
    await fixture.planting().addBlocker(chain.id);
    await findAndMend(fixture, "blocker-without-job", { chainId: chain.id });
    await fixture.settled(completed({ chainId: chain.id, typeName: "x" }));
  },

  "the key of a chain that has ended is found, and freed": async (fixture) => {
    await healthy(fixture);
    const chain = await fixture.startOne(job("a", keyed("k")));
    await fixture.settled(completed({ chainId: chain.id, typeName: "a" }));
    await fixture.planting().keepKey("k", chain.id);
    await findAndMend(fixture, "stale-key", { id: "k", chainId: chain.id });
    equal("a new chain", (await fixture.startOne(job("a", keyed("k")))).deduplicated, false);
    equal("which holds it", await examine(fixture), []);
  },

  "a key that another chain has taken meanwhile is left alone": async (fixture) => {
    const chain = await fixture.startOne(job("a", keyed("k")));
    const stale: StoreFault = { kind: "stale-key", id: "k", chainId: chain.id, typeName: "a" };
    equal("gone", await mend(fixture, [stale]), ["gone"]);
    equal("still held", (await fixture.startOne(job("a", keyed("k")))).id, chain.id);
  },

  "wrong counts are found, and corrected, those that are too high and those that are too low": async (fixture) => {
    await healthy(fixture);
    for (const typeName of ["a", "b", "b"]) await fixture.completedChain(job(typeName));
    await fixture.planting().addToCount("a", 5);
    await fixture.planting().addToCount("b", -2);
    const faults = await examine(fixture);
    const found = faults.map(({ kind, id, typeName, counted, actual }) => [kind, id, typeName, counted, actual]);
    equal(
      "both",
      found.toSorted((left, right) => String(left[2]).localeCompare(String(right[2]))),
      [
        ["wrong-count", "completed", "a", 6, 1],
        ["wrong-count", "completed", "b", 0, 2],
      ],
    );
    equal("repaired", await mend(fixture, faults), ["repaired", "repaired"]);
    equal("nothing is left", await examine(fixture), []);
    equal("the second repair finds nothing", await mend(fixture, faults), ["gone", "gone"]);
    await countsAgree(fixture);
  },

  "wrong counts are corrected by the difference while jobs end, and by only one of two repairs": async (fixture) => {
    const other = await fixture.connect();
    for (let round = 0; round < 5; round += 1) {
      await fixture.planting().addToCount("a", 7);
      const faults = await examine(fixture);
      const ending = Array.from({ length: 10 }, () => other.completedChain(job("a")));
      const [left, right] = await Promise.all([mend(fixture, faults), mend(other, faults), ...ending]);
      equal("no fault twice", [left, right].flat().filter((outcome) => outcome === "repaired").length, 1);
      equal("the counts are right again", await examine(fixture), []);
    }
    await countsAgree(fixture);
  },

  "many faults are returned in pages, each once": async (fixture) => {
    const started = await fixture.start(Array.from({ length: 7 }, () => job("a")));
    for (const { id } of started) await fixture.planting().loseOpenJob(id);
    const faults = await examine(fixture);
    equal("all", faults.map(({ id }) => id).toSorted(), started.map(({ id }) => id).toSorted());
    equal("repaired", [...new Set(await mend(fixture, faults))], ["repaired"]);
    equal("nothing is left", await examine(fixture, 100), []);
    equal("all are there again", (await fixture.claim(["a"])).length, 7);
  },
});

/** Starts, ends, cancels, retries and deletes chains that wait for each other, many for one. */
async function churn(fixture: StateFixture, who: string, round: number): Promise<void> {
  const blocker = await fixture.startOne(job("x", keyed(`${who} ${round % 3}`)));
  const waiting = await fixture.start(
    Array.from({ length: 40 }, (_, n) =>
      job("a", { blockers: [blockedBy(blocker.id)], onBlockerFailure: n % 2 === 0 ? "fail" : "wait" }),
    ),
  );
  const held = await fixture.claim(["x", "a", "b"], { limit: 10 });
  for (const [n, { fence }] of held.entries()) {
    await fixture.insist(() =>
      fixture.settle(n % 3 === 0 ? continued(fence, job("b")) : n % 3 === 1 ? completed(fence) : failed(fence)),
    );
  }
  const ids = waiting.slice(0, 5).map(({ id }) => id);
  await fixture.insist(() => fixture.store.cancel([{ chainId: blocker.id, reason: undefined }], fixture.options()));
  await fixture.insist(() =>
    fixture.store.retry([{ chainId: blocker.id, input: undefined, typeName: undefined }], fixture.options()),
  );
  await fixture.insist(() => fixture.store.remove({ chainIds: ids.slice(0, 1), cascade: true }, fixture.options()));
  if (round % 4 === 3)
    await fixture.insist(() => fixture.store.remove({ chainIds: [blocker.id], cascade: true }, fixture.options()));
}

export const doctorLoadCases = rules("doctor", {
  "a healthy store has no faults": async (fixture) => {
    await healthy(fixture);
    equal("none", await examine(fixture), []);
    equal("an unknown fault of it is gone", await mend(fixture, [{ kind: "stale-key", id: "k", chainId: newId() }]), [
      "gone",
    ]);
  },

  "jobs that are still to be released, or to fail, after the end of their chain are no fault": async (fixture) => {
    const [done, broken] = await fixture.start([job("x"), job("x")]);
    for (const chain of [done, broken]) await fixture.start(waitingFor(chain?.id ?? "", many));
    const completion = await fixture.settled(completed({ chainId: done?.id ?? "", typeName: "x" }));
    equal("jobs are still to be released", [completion.releasing, await examine(fixture, 100)], [true, []]);
    await carryOn(fixture, [completion]);
    const failure = await fixture.settled(failed({ chainId: broken?.id ?? "", typeName: "x" }));
    equal("jobs are still to fail", [failure.releasing, await examine(fixture, 100)], [true, []]);
    await carryOn(fixture, [failure]);
    equal("none at the end", await examine(fixture, 100), []);
  },

  "a busy store has no faults": async (fixture) => {
    const others = await Promise.all([fixture.connect(), fixture.connect()]);
    const busy = { still: true };
    const look = async () => {
      const found: StoreFault[] = [];
      while (busy.still) found.push(...(await examine(fixture, 25)));
      return found;
    };
    const work = async (other: StateFixture, who: number) => {
      for (let round = 0; round < 12; round += 1) await churn(other, `${who}`, round);
    };
    const working = Promise.all(others.map(work)).finally(() => {
      busy.still = false;
    });
    const [found] = await Promise.all([look(), working]);
    equal("none while it was", found, []);
    equal("none after", await examine(fixture, 100), []);
    equal("it was busy", (await chains(fixture)).length > 100, true);
  },
});
