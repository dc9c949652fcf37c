import { ChainwrightError } from "chainwright";
import type { Outcome, SettleReply, StateAdapter } from "chainwright/adapter";
import { present } from "../check.ts";
import { lostRace, neverReturns, reachStore } from "./store-faults.ts";
import type { StoreFaults } from "./store-faults.ts";

type Writes = Pick<StateAdapter, "transaction" | "start" | "exchange" | "settle">;

/** The calls whose effect or reply a fault can change. */
export function createDisturbedWrites(real: StateAdapter, faults: StoreFaults): Writes {
  return {
    async transaction(run, options) {
      const now = await reachStore(faults, "transaction");
      await faults.transactionGate?.passed;
      return await real.transaction(async (tx) => {
        faults.openTransactions += 1;
        faults.openedTransactions += 1;
        try {
          const result = await run(tx);
          if (faults.isDead) await neverReturns();
          // It loses at its end, as databases notice it: the callback has run, and is undone.
          if (now === "lost-race") throw lostRace();
          return result;
        } finally {
          faults.openTransactions -= 1;
        }
      }, options);
    },
    async start(starts, options) {
      const fate = options.tx === undefined ? faults.startFates.shift() : undefined;
      if (fate === undefined) return await real.start(starts, options);
      if (fate === "written") await real.start(starts, options);
      const details = { outcome: "unknown" } as const;
      throw new ChainwrightError("store-unavailable", "the case has lost the reply", { details });
    },
    async exchange(request, options) {
      const isHeld = heldBy(faults);
      const outcomes = request.outcomes.filter((outcome) => !isHeld(outcome));
      const reply = await real.exchange({ ...request, outcomes }, options);
      await faults.detained?.promise;
      return { ...reply, settled: withBusy(request.outcomes, isHeld, reply.settled) };
    },
    async settle(outcomes, options) {
      if (options.waitMs === undefined) return await real.settle(outcomes, options);
      const isHeld = heldBy(faults);
      const free = outcomes.filter((outcome) => !isHeld(outcome));
      return withBusy(outcomes, isHeld, free.length === 0 ? [] : await real.settle(free, options));
    },
  };
}

/** Whether others hold the rows of an outcome, at the time of this call. */
function heldBy({ heldText }: StoreFaults): (outcome: Outcome) => boolean {
  return (outcome) => heldText !== undefined && JSON.stringify(outcome).includes(heldText);
}

/** Replies to all outcomes, of which those that are held were not sent. */
function withBusy(
  outcomes: readonly Outcome[],
  isHeld: (outcome: Outcome) => boolean,
  settled: readonly SettleReply[],
): readonly SettleReply[] {
  const replies = settled.values();
  return outcomes.map((outcome) => (isHeld(outcome) ? { status: "busy" } : present("a reply", replies.next().value)));
}
