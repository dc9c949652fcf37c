import { equal, match, rejected } from "../check.ts";
import { completed, deferred } from "./build.ts";
import type { StateFixture } from "./fixture.ts";
import { rules } from "./group.ts";
import { change, declare, keysOf, limitOf, places, rate, take, takeOne, times, under } from "./limiting.ts";

const acme = { tenant: "acme" };

/** Runs this in a transaction that rolls back. */
async function undone(fixture: StateFixture, run: (tx: unknown) => Promise<void>): Promise<void> {
  const undo = new Error("undo");
  const thrown = await rejected(
    "rolls back",
    fixture.store.transaction(async (tx) => {
      await run(tx);
      throw undo;
    }),
  );
  equal("with its error", thrown === undo, true);
}

/** Whether calls of others can run while a transaction is open. */
const isShared = ({ store }: StateFixture): boolean => store.insideTransaction === undefined;

/** Limits and transactions that roll back or stay open. */
export const limitTransactionCases = rules("limits", {
  "a start in a transaction that rolls back leaves no job in a lane": async (fixture) => {
    await declare(fixture, { tenant: places(1) });
    await undone(
      fixture,
      async (tx) =>
        void (await fixture.start(
          times(2, () => under(acme)),
          tx,
        )),
    );
    equal("none", await take(fixture), []);
    match("none waits", await limitOf(fixture, "tenant", "acme"), { running: 0, waiting: 0 });
  },

  "an end in a transaction that rolls back gives no place back (C1, C3)": async (fixture) => {
    await declare(fixture, { tenant: places(1) });
    await fixture.start(times(2, () => under(acme)));
    const held = await takeOne(fixture);
    for (const outcome of [completed(held.fence), deferred(held.fence)])
      await undone(fixture, async (tx) => void (await fixture.settled(outcome, tx)));
    await undone(fixture, async (tx) => {
      await fixture.store.cancel([{ chainId: held.chainId, reason: undefined }], fixture.options(tx));
    });
    equal("full", await take(fixture), []);
    await fixture.settled(completed(held.fence));
    equal("free", (await take(fixture)).length, 1);
  },

  "a claim in a transaction that rolls back takes no place and spends nothing of a rate (C1, C2)": async (fixture) => {
    await declare(fixture, { tenant: { concurrency: 1, rate: { count: 1, perMs: 3_600_000, spread: false } } });
    await fixture.start(times(2, () => under(acme)));
    await undone(fixture, async (tx) => {
      equal("claimed", (await take(fixture, ["a"], { tx })).length, 1);
      equal("full inside", await take(fixture, ["a"], { tx }), []);
    });
    fixture.advance(1_000);
    const held = await takeOne(fixture);
    equal("its first attempt", held.attempt, 1);
    fixture.advance(1_000);
    equal("full", await take(fixture), []);
  },

  "changes of limits in a transaction that rolls back change nothing": async (fixture) => {
    await declare(fixture, { tenant: places(1) });
    await change(fixture, [{ kind: "override", limit: "tenant", key: "bee", rule: places(2) }]);
    const before = await limitOf(fixture, "tenant", "bee");
    await undone(fixture, async (tx) => {
      await change(
        fixture,
        [
          { kind: "declare", limit: "tenant", rule: places(9), codeVersion: 3 },
          { kind: "declare", limit: "new", rule: rate(1, 10), codeVersion: undefined },
          { kind: "override", limit: "tenant", key: "bee", rule: places(7) },
          { kind: "override", limit: "tenant", key: undefined, rule: places(8) },
          { kind: "pause", limit: "tenant", key: "bee", forMs: undefined },
          { kind: "pause", limit: "tenant", key: undefined, forMs: 1_000 },
        ],
        tx,
      );
    });
    equal("the key", await limitOf(fixture, "tenant", "bee"), before);
    const none = { codeVersion: undefined, override: undefined, pausedUntil: undefined };
    equal("the limits", await fixture.store.listLimitDeclarations(fixture.options()), [
      { limit: "tenant", declared: places(1), ...none },
    ]);
    await fixture.start(times(3, () => under(acme)));
    equal("one place", (await take(fixture)).length, 1);
  },

  "a start in an open transaction makes no claim and no settlement wait (C8)": async (fixture) => {
    await declare(fixture, { tenant: places(2) });
    await fixture.start(times(2, () => under(acme)));
    const other = await fixture.connect();
    const [first] = await take(other, ["a"], { limit: 1 });
    if (isShared(fixture)) {
      await fixture.transact(async (tx) => {
        await fixture.start(
          times(2, () => under(acme)),
          tx,
        );
        equal("others claim", (await take(other)).length, 1);
        if (first !== undefined) await other.settled(completed(first.fence));
      });
    } else {
      await fixture.transact((tx) =>
        fixture.start(
          times(2, () => under(acme)),
          tx,
        ),
      );
      await take(other);
      if (first !== undefined) await other.settled(completed(first.fence));
    }
    equal("then one of the new ones", keysOf(await take(other)), ["acme"]);
  },

  "a place is free exactly when the transaction commits that ends its job (C1, C8)": async (fixture) => {
    await declare(fixture, { tenant: places(1) });
    await fixture.start(times(2, () => under(acme)));
    const held = await takeOne(fixture);
    const other = await fixture.connect();
    equal("full", await take(other), []);
    await fixture.transact(async (tx) => {
      await fixture.settled(completed(held.fence), tx);
      if (!isShared(fixture)) return;
      equal("not before", await take(other), []);
      fixture.advance(1_000);
      equal("and not later", await take(other), []);
    });
    fixture.advance(1_000);
    equal("free", (await take(other)).length, 1);
  },

  "a change of a limit counts from the commit of its transaction": async (fixture) => {
    await declare(fixture, { tenant: places(1) });
    await fixture.start(times(3, () => under(acme)));
    const other = await fixture.connect();
    equal("one", (await take(other)).length, 1);
    equal("full", await take(other), []);
    await fixture.transact(async (tx) => {
      await change(fixture, [{ kind: "override", limit: "tenant", key: "acme", rule: places(2) }], tx);
      match(
        "inside",
        (
          await fixture.store.listLimits({ keys: [{ limit: "tenant", key: "acme" }], limit: 1 }, fixture.options(tx))
        )[0],
        { rule: places(2) },
      );
      if (isShared(fixture)) equal("not before", await take(other), []);
    });
    fixture.advance(1_000);
    equal("one more", (await take(other)).length, 1);
  },

  "an end and a start with the same key in one transaction both count with it": async (fixture) => {
    await declare(fixture, { tenant: places(1) });
    await fixture.startOne(under(acme));
    const held = await takeOne(fixture);
    await fixture.transact(async (tx) => {
      await fixture.settled(completed(held.fence), tx);
      await fixture.startOne(under(acme), tx);
    });
    equal("one", (await take(fixture)).length, 1);
    equal("full", await take(fixture), []);
  },
});
