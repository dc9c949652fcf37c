import { equal, present, rejected, rejectsWith } from "../check.ts";
import { job } from "./build.ts";
import { everyCall } from "./every-call.ts";
import { rules } from "./group.ts";
import { everything, statuses } from "./listing.ts";
import type { Stage } from "./stage.ts";

/** How a transaction ends whose handle somebody has kept. */
const ends: Readonly<Record<string, (stage: Stage, keep: (tx: unknown) => void) => Promise<unknown>>> = {
  committed: (stage, keep) =>
    stage.transact(async (tx) => {
      keep(tx);
      await stage.startOne(job("a"), tx);
    }),
  "committed without a write": (stage, keep) => stage.transact((tx) => Promise.resolve(keep(tx))),
  "rolled back": (stage, keep) =>
    rejected(
      "rejects",
      stage.transact(async (tx) => {
        keep(tx);
        await stage.startOne(job("a"), tx);
        throw new Error("undo");
      }),
    ),
};

async function keptOf(stage: Stage, end: (typeof ends)[string]): Promise<unknown> {
  let kept: unknown;
  await end(stage, (tx) => {
    kept = tx;
  });
  return present("a handle", kept);
}

/** These open transactions of their own, and take no handle. */
const without: ReadonlySet<string> = new Set(["transaction", "inspect", "repair"]);

async function refusesEveryCall(stage: Stage, tx: unknown): Promise<void> {
  for (const [name, call] of everyCall) {
    if (without.has(name)) continue;
    await rejectsWith(`${name} is refused`, call(stage.store, stage.options(tx)), "closed");
  }
}

const cases = Object.entries(ends).flatMap(([how, end]) => [
  [
    `${how}: its handle is refused, for every call, and nothing is written`,
    async (stage: Stage) => {
      const kept = await keptOf(stage, end);
      const before = await everything(stage);
      await refusesEveryCall(stage, kept);
      equal("as it was", await everything(stage), before);
    },
  ] as const,
  [
    `${how}: its handle is refused while another one is open, which is none the worse for it`,
    async (stage: Stage) => {
      const kept = await keptOf(stage, end);
      const [own, undone] = [job("b"), job("b")];
      await stage.transact(async (tx) => {
        await stage.startOne(own, tx);
        await refusesEveryCall(stage, kept);
        await stage.startOne(job("b"), tx);
      });
      await rejected(
        "rejects",
        stage.transact(async (tx) => {
          await stage.startOne(undone, tx);
          await refusesEveryCall(stage, kept);
          throw new Error("undo");
        }),
      );
      equal("one is there, the other is not", await statuses(stage, [own.id, undone.id]), ["active", undefined]);
    },
  ] as const,
]);

export const endedTransactionCases = rules("a transaction that has ended", {
  ...Object.fromEntries(cases),

  "refuses a call that its callback did not wait for and that comes late": async (stage) => {
    const ended = Promise.withResolvers<void>();
    const start = job("a");
    let late: Promise<unknown> | undefined;
    await stage.transact((tx) => {
      late = ended.promise.then(() => stage.startOne(start, tx));
      return Promise.resolve();
    });
    ended.resolve();
    await rejectsWith("refused", present("a call", late), "closed");
    equal("not there", await statuses(stage, [start.id]), [undefined]);
  },
});
