import type { Outcome } from "../../src/model/outcome.ts";
import type { SettleReply } from "../../src/ports/exchange.ts";
import type { StateAdapter } from "../../src/ports/state.ts";

/** The calls of a store in which other transactions hold the rows of some outcomes. */
export function busyRows(state: StateAdapter, isHeld: () => boolean): Pick<StateAdapter, "exchange" | "settle"> {
  return {
    async exchange(request, options) {
      const held = heldOf(request.outcomes, isHeld);
      const reply = await state.exchange({ ...request, outcomes: without(request.outcomes, held) }, options);
      return { ...reply, settled: withBusy(request.outcomes, held, reply.settled) };
    },
    async settle(outcomes, options) {
      if (options.waitMs === undefined) return await state.settle(outcomes, options);
      const held = heldOf(outcomes, isHeld);
      return withBusy(outcomes, held, await state.settle(without(outcomes, held), options));
    },
  };
}

function heldOf(outcomes: readonly Outcome[], isHeld: () => boolean): ReadonlySet<Outcome> {
  return new Set(outcomes.filter(() => isHeld()));
}

function without(outcomes: readonly Outcome[], held: ReadonlySet<Outcome>): readonly Outcome[] {
  return outcomes.filter((outcome) => !held.has(outcome));
}

function withBusy(
  outcomes: readonly Outcome[],
  held: ReadonlySet<Outcome>,
  replies: readonly SettleReply[],
): readonly SettleReply[] {
  const rest = replies.values();
  return outcomes.map((outcome) =>
    held.has(outcome) ? { status: "busy" } : (rest.next().value ?? { status: "busy" }),
  );
}
