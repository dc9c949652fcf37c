import type { Outcome } from "chainwright/adapter";
import { equal, match, rejectsWith } from "../check.ts";
import { createGate } from "../behaviour/gate.ts";
import { inTime } from "../behaviour/event-log.ts";
import { settlesSoon } from "../barrier.ts";
import { blockedBy, completed, continued, deferred, job } from "./build.ts";
import { rulesWith } from "./group.ts";
import { holding } from "./holding.ts";
import type { StateFixture } from "./fixture.ts";

/** How many starts that overlap each other may come before the end of the chain that they wait for. */
const mostStarts = 50;

export const sharedBlockerCases = rulesWith("fan-in of overlapping transactions", "rowLocks", {
  "starts that name one blocker do not wait for each other": async (fixture) => {
    const chain = await fixture.startOne(job("a"));
    const blockers = [{ chainId: chain.id, typeName: "a" }];
    const first = await holding(fixture, (other, tx) => other.startOne(job("b", { blockers }), tx));
    const second = await holding(fixture, (other, tx) => other.startOne(job("b", { blockers }), tx));
    await inTime("a start by itself", fixture.startOne(job("b", { blockers })));
    await Promise.all([first.commit(), second.rollBack()]);
    await fixture.settled(completed((await fixture.claimOne("a")).fence, "1"));
    equal("ready", (await fixture.claim(["b"])).length, 2);
  },

  "a chain continues with its next step while a transaction starts to wait for it, with a worker and without": async (
    fixture,
  ) => {
    const chain = await fixture.startOne(job("a"));
    await fixture.settled(continued((await fixture.claimOne("a")).fence, job("b")));
    const { fence } = await fixture.claimOne("b");
    const blockers = [blockedBy(chain.id, "a")];
    const start = await holding(fixture, (other, tx) => other.startOne(job("z", { blockers }), tx));
    const step = (typeName: string) => ({ chainId: chain.id, typeName });
    await inTime("by a worker", fixture.settled(continued(fence, job("c"))));
    await inTime("without one", fixture.settled(continued(step("c"), job("d"))));
    await inTime(
      "in a transaction",
      fixture.transact((tx) => fixture.settled(continued(step("d"), job("e")), tx)),
    );
    await start.rollBack();
  },

  "the end of a chain waits for open starts that name it as a blocker, and their jobs become ready": async (
    fixture,
  ) => {
    const chain = await fixture.startOne(job("a"));
    const { fence } = await fixture.claimOne("a");
    const waits = job("b", { blockers: [{ chainId: chain.id, typeName: "a" }] });
    const start = await holding(fixture, (other, tx) => other.startOne(waits, tx));
    const ending = fixture.transact((tx) => fixture.settled(completed(fence, "1"), tx));
    equal("it waits", await settlesSoon(ending), false);
    await start.commit();
    match("unblocked", (await inTime("it ends", ending)).unblocked[0], { jobId: waits.id });
  },

  "starts that arrive after the end of a chain has begun to wait do not delay it": async (fixture) => {
    const chain = await fixture.startOne(job("a"));
    const { fence } = await fixture.claimOne("a");
    const start = () =>
      holding(fixture, (other, tx) =>
        other.startOne(job("b", { blockers: [{ chainId: chain.id, typeName: "a" }] }), tx),
      );
    let open = await start();
    const end = { isThere: false };
    const ending = fixture
      .transact((tx) => fixture.settled(completed(fence, "1"), tx))
      .then(() => {
        end.isThere = true;
      });
    equal("it waits", await settlesSoon(ending), false);
    // On a busy machine the end begins to wait later than the next start. But a steady stream of starts must not delay it without limit.
    let starts = 1;
    for (; !end.isThere && starts < mostStarts; starts += 1) {
      const next = start();
      await settlesSoon(next);
      await open.commit();
      await inTime("it ends, or the next start goes first", Promise.race([ending, next]));
      open = await inTime("the next start", next);
    }
    await open.commit();
    equal("it has ended", end.isThere, true);
    equal("all are ready", (await fixture.claim(["b"], { limit: mostStarts })).length, starts);
  },

  "a transaction that waits for a chain may start another job that does, also while the chain's end waits": async (
    fixture,
  ) => {
    const chain = await fixture.startOne(job("a"));
    const { fence } = await fixture.claimOne("a");
    const waiting = () => job("b", { blockers: [{ chainId: chain.id, typeName: "a" }] });
    const again = createGate();
    const ending = Promise.withResolvers<unknown>();
    await inTime(
      "both starts",
      fixture.transact(async (tx) => {
        await fixture.startOne(waiting(), tx);
        const other = await fixture.connect();
        const settled = other.transact((own) => other.settled(completed(fence, "1"), own));
        settled.then(ending.resolve, ending.reject);
        await settlesSoon(settled);
        await fixture.startOne(waiting(), tx);
        again.open();
      }),
    );
    await inTime("it ends", ending.promise);
    equal("both are ready", (await fixture.claim(["b"])).length, 2);
  },
});

export const heldLeaseCases = rulesWith("lease", "rowLocks", {
  "a renewal waits for no transaction: a locked lease is busy, neither extended nor lost, and the others are renewed":
    async (fixture) => {
      const chains = await fixture.start([job("a"), job("a")]);
      const [first, second] = (await fixture.claim(["a"], { leaseMs: 1_000 })).map(({ fence }) => fence);
      if (first === undefined || second === undefined) throw new Error("two are claimed");
      const until = fixture.now() + 1_000;
      const cancels = await holding(fixture, (other, tx) =>
        other.store.cancel([{ chainId: first.jobId, reason: undefined }], other.options(tx)),
      );
      fixture.advance(500);
      const held = [first, second].map(({ jobId, fence }) => ({ jobId, fence, leaseMs: 1_000 }));
      const renew = () => fixture.store.renew({ workerId: first.workerId, held }, fixture.options());
      equal("not extended", await inTime("it waits for no one", renew()), [{ fence: first, reason: "busy" }]);
      const leases = async () =>
        (await fixture.store.getJobs([first.jobId, second.jobId], fixture.options())).map(
          (record) => record?.leasedUntil,
        );
      equal("leases", await leases(), [until, fixture.now() + 1_000]);
      await cancels.rollBack();
      equal("extended", await renew(), []);
      equal("leases", await leases(), [fixture.now() + 1_000, fixture.now() + 1_000]);
      equal("both run", chains.length, 2);
    },
});

/** Much longer than a call needs, and much shorter than the time limit of a case. */
const waitMs = 50;

/** An outcome that needs a row, and a transaction of another process that locks this row. */
interface Contended {
  readonly outcome: Outcome;
  hold(other: StateFixture, tx: unknown): Promise<unknown>;
}

const contended: Readonly<Record<string, (fixture: StateFixture) => Promise<Contended>>> = {
  "the open step": async (fixture) => {
    const chain = await fixture.startOne(job("a"));
    const { fence } = await fixture.claimOne("a");
    return {
      outcome: completed(fence, "1"),
      hold: (other, tx) => other.store.cancel([{ chainId: chain.id, reason: undefined }], other.options(tx)),
    };
  },
  "the open step, of an attempt that is put off": async (fixture) => {
    const chain = await fixture.startOne(job("a"));
    const { fence } = await fixture.claimOne("a");
    return {
      outcome: deferred(fence, {}),
      hold: (other, tx) => other.store.cancel([{ chainId: chain.id, reason: undefined }], other.options(tx)),
    };
  },
  "the chain, for a job that will wait for it": async (fixture) => {
    const chain = await fixture.startOne(job("a"));
    const { fence } = await fixture.claimOne("a");
    return {
      outcome: completed(fence, "1"),
      hold: (other, tx) => other.startOne(job("b", { blockers: [blockedBy(chain.id)] }), tx),
    };
  },
  "the chain of a later step": async (fixture) => {
    const chain = await fixture.startOne(job("first"));
    await fixture.settled(continued((await fixture.claimOne("first")).fence, job("a")));
    const { fence } = await fixture.claimOne("a");
    return {
      outcome: completed(fence, "1"),
      hold: (other, tx) => other.startOne(job("b", { blockers: [blockedBy(chain.id, "first")] }), tx),
    };
  },
  "the row of a failed attempt": async (fixture) => {
    const chain = await fixture.startOne(job("a"));
    const { fence } = await fixture.claimOne("a");
    return {
      outcome: deferred(fence, { errors: "[]" }),
      hold: (other, tx) => other.startOne(job("b", { blockers: [blockedBy(chain.id)] }), tx),
    };
  },
  "the deduplication key": async (fixture) => {
    const deduplication = { key: "k", scope: "active", windowMs: 1_000 } as const;
    await fixture.startOne(job("a", { deduplication }));
    const { fence } = await fixture.claimOne("a");
    fixture.advance(2_000);
    return {
      outcome: completed(fence, "1"),
      hold: (other, tx) => other.startOne(job("b", { deduplication }), tx),
    };
  },
  "a chain that the next step waits for": async (fixture) => {
    const awaited = await fixture.startOne(job("b"));
    await fixture.startOne(job("a"));
    const { fence } = await fixture.claimOne("a");
    return {
      outcome: continued(fence, job("c", { blockers: [blockedBy(awaited.id, "b")] })),
      hold: (other, tx) => other.settled(completed({ chainId: awaited.id, typeName: "b" }), tx),
    };
  },
};

/** Exchanges an outcome whose row is locked together with one that is free, and claims a ready job. */
async function exchangeBeside(fixture: StateFixture, outcome: Outcome) {
  await fixture.startOne(job("neighbour"));
  const neighbour = await fixture.claimOne("neighbour");
  await fixture.startOne(job("next"));
  const claim = { workerId: "worker-1", types: [{ typeName: "next", leaseMs: 30_000 }], limit: 1 };
  const outcomes = [outcome, completed(neighbour.fence, "2")];
  const { settled, claimed } = await inTime(
    "the exchange comes back",
    fixture.store.exchange({ outcomes, claim }, { ...fixture.options(), waitMs }),
  );
  return { statuses: settled.map(({ status }) => status), claimed: claimed.length };
}

function besideHeldRow(what: string) {
  const prepare = contended[what];
  if (prepare === undefined) throw new TypeError(what);
  return {
    [`an exchange settles and claims the others while a transaction has ${what}, and the outcome when it is rolled back`]:
      async (fixture: StateFixture) => {
        const { outcome, hold } = await prepare(fixture);
        const held = await holding(fixture, hold);
        equal("the exchange", await exchangeBeside(fixture, outcome), { statuses: ["busy", "settled"], claimed: 1 });
        const alone = await inTime("by itself", fixture.store.settle([outcome], { ...fixture.options(), waitMs }));
        equal("busy", alone, [{ status: "busy" }]);
        const waiting = fixture.store.settle([outcome], { ...fixture.options(), waitMs: 60_000 });
        equal("it waits as long as it may", await settlesSoon(waiting), false);
        await held.rollBack();
        match("settled", (await inTime("it settles", waiting))[0], { status: "settled" });
        match("only once", await fixture.settle(outcome), { status: "lost" });
      },
    [`an exchange settles and claims the others while a transaction has ${what}, and the outcome when it is committed`]:
      async (fixture: StateFixture) => {
        const { outcome, hold } = await prepare(fixture);
        const held = await holding(fixture, hold);
        equal("the exchange", await exchangeBeside(fixture, outcome), { statuses: ["busy", "settled"], claimed: 1 });
        await held.commit();
        const { status } = await fixture.settle(outcome);
        equal("settled, or lost to what was committed", ["settled", "lost"].includes(status), true);
        equal("not busy again", (await fixture.settle(outcome)).status, "lost");
      },
  };
}

export const rowLockCases = rulesWith("rows that others hold", "rowLocks", {
  ...Object.fromEntries(Object.keys(contended).flatMap((what) => Object.entries(besideHeldRow(what)))),

  "a start whose key an open transaction holds waits as long as it may, then rejects and writes nothing": async (
    fixture,
  ) => {
    const deduplication = { key: "k", scope: "active", windowMs: undefined } as const;
    const held = await holding(fixture, (other, tx) => other.startOne(job("a", { deduplication }), tx));
    const start = job("a", { deduplication });
    const calls = [{ starts: [job("other")] }, { starts: [start] }];
    await rejectsWith("too long", fixture.store.start(calls, { ...fixture.options(), waitMs }), "transaction-conflict");
    equal("nothing is written", (await fixture.store.count(fixture.options())).length, 0);
    const waiting = fixture.store.start(calls, { ...fixture.options(), waitMs: 60_000 });
    equal("it waits", await settlesSoon(waiting), false);
    await held.rollBack();
    equal(
      "started",
      (await inTime("it starts", waiting)).every(({ ok }) => ok),
      true,
    );
  },
});
