import type { Outcome } from "chainwright/adapter";
import { equal, match, sameMembers } from "../check.ts";
import { createBarrier } from "../barrier.ts";
import { blockedBy, completed, failed, job } from "./build.ts";
import { rules } from "./group.ts";
import { countsAgree, statuses } from "./listing.ts";
import { carryOn } from "./releasing.ts";
import type { Held, StateFixture } from "./fixture.ts";
import { taken } from "./fixture.ts";

/** Settles each outcome in its own transaction, on two connections. All transactions are open before the first outcome settles. */
async function settleOverlapping(fixture: StateFixture, outcomes: readonly Outcome[]) {
  const other = await fixture.connect();
  const barrier = createBarrier(outcomes.length);
  return Promise.all(
    outcomes.map((outcome, index) => {
      const own = index % 2 === 0 ? fixture : other;
      return own.transact(async (tx) => {
        await own.store.getChains([], own.options(tx));
        await barrier();
        return taken("settled", await own.settle(outcome, tx));
      });
    }),
  );
}

/** Settles each outcome in its own call, all at the same time, on two connections. */
async function settleTogether(fixture: StateFixture, outcomes: readonly Outcome[]) {
  const other = await fixture.connect();
  return Promise.all(
    outcomes.map((outcome, index) => {
      const own = index % 2 === 0 ? fixture : other;
      return own.insist(() => own.settled(outcome));
    }),
  );
}

const doors = {
  "in overlapping transactions": settleOverlapping,
  "in calls at the same time": settleTogether,
} as const;

async function arrange(fixture: StateFixture, width: number, dependents: number) {
  const blockers = await fixture.start(Array.from({ length: width }, () => job("x")));
  const ids = blockers.map(({ id }) => id);
  // Every second job lists its blockers in reverse order; locks that are taken in list order would deadlock.
  const waiting = await fixture.start(
    Array.from({ length: dependents }, (_, index) =>
      job("a", { blockers: (index % 2 === 0 ? ids : ids.toReversed()).map((id) => blockedBy(id)) }),
    ),
  );
  return { waiting: waiting.map(({ id }) => id), held: await fixture.claim(["x"], { limit: width }) };
}

const widths = [2, 3, 8, 50] as const;

const widthCases = Object.fromEntries(
  Object.entries(doors).flatMap(([door, settle]) =>
    widths.flatMap((width) => [
      [
        `${width} blockers complete ${door}: their dependent becomes ready exactly once`,
        async (fixture: StateFixture) => {
          const { waiting, held } = await arrange(fixture, width, 1);
          const settled = await settle(
            fixture,
            held.map(({ fence }) => completed(fence)),
          );
          equal("reported once", (await carryOn(fixture, settled)).unblocked, waiting);
          match("ready", await fixture.job(waiting[0] ?? ""), { status: "ready", blockersLeft: 0 });
          equal(
            "claimed once",
            (await fixture.claim(["a"])).map(({ id }) => id),
            waiting,
          );
        },
      ],
    ]),
  ),
);

export const fanInWidthCases = rules("fan-in", widthCases);

function outcomesOf(held: readonly Held[], build: (held: Held, index: number) => Outcome): readonly Outcome[] {
  return held.map((item, index) => build(item, index));
}

export const fanInCases = rules("fan-in", {
  "8 blockers of 6 dependents complete in overlapping transactions: each dependent becomes ready exactly once": async (
    fixture,
  ) => {
    const { waiting, held } = await arrange(fixture, 8, 6);
    const settled = await settleOverlapping(
      fixture,
      outcomesOf(held, ({ fence }) => completed(fence)),
    );
    sameMembers("reported once each", (await carryOn(fixture, settled)).unblocked, waiting);
    sameMembers(
      "claimed once each",
      (await fixture.claim(["a"])).map(({ id }) => id),
      waiting,
    );
  },

  "batches that end the blockers of the same dependents in opposite order do not deadlock": async (fixture) => {
    const other = await fixture.connect();
    const { waiting, held } = await arrange(fixture, 20, 10);
    const halves = [
      held.filter((_, index) => index % 2 === 0),
      held.filter((_, index) => index % 2 === 1).toReversed(),
    ];
    const replies = await Promise.all(
      halves.map((half, index) => {
        const own = index === 0 ? fixture : other;
        return own.insist(() =>
          own.store.settle(
            half.map(({ fence }) => completed(fence)),
            own.options(),
          ),
        );
      }),
    );
    const settled = replies.flat().map((reply) => taken("settled", reply));
    sameMembers("reported once each", (await carryOn(fixture, settled)).unblocked, waiting);
  },

  "blockers complete and fail in overlapping transactions: their dependent fails exactly once": async (fixture) => {
    const { waiting, held } = await arrange(fixture, 8, 1);
    const settled = await settleOverlapping(
      fixture,
      outcomesOf(held, ({ fence }, index) => (index % 4 === 1 ? failed(fence) : completed(fence))),
    );
    equal("failed, reported once, and never unblocked", await carryOn(fixture, settled), {
      unblocked: [],
      failed: waiting,
    });
    equal("failed", await statuses(fixture, waiting), ["failed"]);
    equal("not claimable", await fixture.claim(["a"]), []);
    await countsAgree(fixture);
  },

  "a rolled-back end does not count": async (fixture) => {
    const { waiting, held } = await arrange(fixture, 2, 1);
    const [one, two] = held;
    if (one === undefined || two === undefined) throw new Error("two are claimed");
    const undo = new Error("undo");
    await Promise.all([
      fixture
        .transact(async (tx) => {
          await fixture.settled(completed(one.fence), tx);
          throw undo;
        })
        .catch((error: unknown) => {
          if (error !== undo) throw error;
        }),
      fixture.insist(() => fixture.settled(completed(two.fence))),
    ]);
    // An end does not wait for locked rows: later exchanges count down the jobs that the other transaction had locked.
    await carryOn(fixture);
    match("one is left", await fixture.job(waiting[0] ?? ""), { status: "blocked", blockersLeft: 1 });
    const end = await fixture.settled(completed(one.fence));
    equal("freed now", (await carryOn(fixture, [end])).unblocked, waiting);
  },

  "starts that name a blocker while it ends are never stuck": async (fixture) => {
    const other = await fixture.connect();
    for (let round = 0; round < 10; round += 1) {
      const blocker = await fixture.startOne(job("x"));
      const { fence } = await fixture.claimOne("x");
      const starts = Array.from({ length: 4 }, () => job("a", { blockers: [blockedBy(blocker.id)] }));
      await Promise.all([
        ...starts.map((start) => other.insist(() => other.startOne(start))),
        fixture.insist(() => fixture.settled(completed(fence))),
      ]);
      const claimed = await fixture.claim(["a"]);
      sameMembers(
        "all can run",
        claimed.map(({ id }) => id),
        starts.map(({ id }) => id),
      );
      await fixture.store.settle(
        claimed.map((held) => completed(held.fence)),
        fixture.options(),
      );
    }
  },

  "starts that name a blocker in open transactions while it ends are never stuck": async (fixture) => {
    const other = await fixture.connect();
    const barrier = createBarrier(2);
    const blocker = await fixture.startOne(job("x"));
    const { fence } = await fixture.claimOne("x");
    const start = job("a", { blockers: [blockedBy(blocker.id)] });
    await Promise.all([
      other.transact(async (tx) => {
        await other.startOne(start, tx);
        await barrier();
      }),
      fixture.transact(async (tx) => {
        await barrier();
        await fixture.settled(completed(fence), tx);
      }),
    ]);
    match("it can run", await fixture.claimOne("a"), { id: start.id });
  },

  "starts that name two blockers in opposite order, while these end, are never stuck": async (fixture) => {
    const other = await fixture.connect();
    for (let round = 0; round < 10; round += 1) {
      const [left, right] = await fixture.start([job("x"), job("x")]);
      const ids = [left?.id ?? "", right?.id ?? ""];
      const held = await fixture.claim(["x"]);
      const starts = [
        job("a", { blockers: ids.map((id) => blockedBy(id)) }),
        job("a", { blockers: ids.toReversed().map((id) => blockedBy(id)) }),
      ];
      await Promise.all([
        ...starts.map((start, index) => {
          const own = index === 0 ? fixture : other;
          return own.insist(() => own.startOne(start));
        }),
        ...held.map(({ fence }) => fixture.insist(() => fixture.settled(completed(fence)))),
      ]);
      const claimed = await fixture.claim(["a"]);
      sameMembers(
        "both can run",
        claimed.map(({ id }) => id),
        starts.map(({ id }) => id),
      );
      await fixture.store.settle(
        claimed.map((item) => completed(item.fence)),
        fixture.options(),
      );
    }
  },
});
