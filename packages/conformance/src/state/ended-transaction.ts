import { equal, present, rejected, rejectsWith } from "../check.ts";
import { job } from "./build.ts";
import { everyCall } from "./every-call.ts";
import { rules } from "./group.ts";
import { everything, statuses } from "./listing.ts";
import type { StateFixture } from "./fixture.ts";

/** Ways in which a transaction ends whose handle was kept. */
const ends: Readonly<Record<string, (fixture: StateFixture, keep: (tx: unknown) => void) => Promise<unknown>>> = {
  committed: (fixture, keep) =>
    fixture.transact(async (tx) => {
      keep(tx);
      await fixture.startOne(job("a"), tx);
    }),
  "committed without a write": (fixture, keep) => fixture.transact((tx) => Promise.resolve(keep(tx))),
  "rolled back": (fixture, keep) =>
    rejected(
      "rejects",
      fixture.transact(async (tx) => {
        keep(tx);
        await fixture.startOne(job("a"), tx);
        throw new Error("undo");
      }),
    ),
};

async function keptOf(fixture: StateFixture, end: (typeof ends)[string]): Promise<unknown> {
  let kept: unknown;
  await end(fixture, (tx) => {
    kept = tx;
  });
  return present("a handle", kept);
}

/** These calls open a transaction of their own and take no handle. */
const without: ReadonlySet<string> = new Set(["transaction", "inspect", "repair"]);

async function refusesEveryCall(fixture: StateFixture, tx: unknown): Promise<void> {
  for (const [name, call] of everyCall) {
    if (without.has(name)) continue;
    await rejectsWith(`${name} is refused`, call(fixture.store, fixture.options(tx)), "closed");
  }
}

const cases = Object.entries(ends).flatMap(([how, end]) => [
  [
    `${how}: every call with its handle is refused and writes nothing`,
    async (fixture: StateFixture) => {
      const kept = await keptOf(fixture, end);
      const before = await everything(fixture);
      await refusesEveryCall(fixture, kept);
      equal("as it was", await everything(fixture), before);
    },
  ] as const,
  [
    `${how}: its handle is refused while another transaction is open, which is not affected`,
    async (fixture: StateFixture) => {
      const kept = await keptOf(fixture, end);
      const [own, undone] = [job("b"), job("b")];
      await fixture.transact(async (tx) => {
        await fixture.startOne(own, tx);
        await refusesEveryCall(fixture, kept);
        await fixture.startOne(job("b"), tx);
      });
      await rejected(
        "rejects",
        fixture.transact(async (tx) => {
          await fixture.startOne(undone, tx);
          await refusesEveryCall(fixture, kept);
          throw new Error("undo");
        }),
      );
      equal("one is there, the other is not", await statuses(fixture, [own.id, undone.id]), ["active", undefined]);
    },
  ] as const,
]);

export const endedTransactionCases = rules("a transaction that has ended", {
  ...Object.fromEntries(cases),

  "refuses a late call that its callback did not await": async (fixture) => {
    const ended = Promise.withResolvers<void>();
    const start = job("a");
    let late: Promise<unknown> | undefined;
    await fixture.transact((tx) => {
      late = ended.promise.then(() => fixture.startOne(start, tx));
      return Promise.resolve();
    });
    ended.resolve();
    await rejectsWith("refused", present("a call", late), "closed");
    equal("not there", await statuses(fixture, [start.id]), [undefined]);
  },
});
