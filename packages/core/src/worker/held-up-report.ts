import type { LockHolder } from "../model/lock-holder.ts";
import type { Engine } from "../engine/engine.ts";
import type { HandIn } from "./hand-in.ts";
import { createHolderInquiry } from "./holder-inquiry.ts";

/**
 * Outcomes that wait because other transactions hold their rows.
 *
 * @example
 * const describe = ({ count, longestMs, holders }: HeldUpReport) =>
 *   `${count} outcomes wait, for up to ${longestMs} ms, for ${holders.map(({ processId }) => processId).join(", ")}`;
 * const { heldUp } = worker.health();
 * if (heldUp !== undefined) console.warn(describe(heldUp));
 */
export interface HeldUpReport {
  readonly count: number;
  /** How long the outcome has waited that has waited longest, in milliseconds. */
  readonly longestMs: number;
  /** The transactions that they wait for, as the store last reported them; empty where it does not report them. */
  readonly holders: readonly LockHolder[];
}

/** An outcome that waits. */
export interface HeldUpOutcome {
  item: HandIn;
  /** By the worker's clock. */
  readonly since: number;
  isReported: boolean;
}

/** Reports outcomes that have waited for long. */
export interface HeldUpReporter {
  /** Undefined: none of them has waited for long. */
  report(waiting: Iterable<HeldUpOutcome>): HeldUpReport | undefined;
  /** Records one event for an outcome that has waited for long, while `isWaiting` returns true. */
  announce(outcome: HeldUpOutcome, isWaiting: () => boolean): void;
}

/** An outcome that waits for longer is reported. */
const reportAfterMs = 3_000;

export function createHeldUpReporter(
  engine: Pick<Engine, "state" | "clock" | "callOptions" | "events">,
  workerId: string,
): HeldUpReporter {
  const { clock, events } = engine;
  const inquiry = createHolderInquiry(engine);
  return {
    report(waiting) {
      const now = clock.now();
      const waits = Array.from(waiting, ({ since }) => now - since);
      const longestMs = Math.max(0, ...waits);
      return longestMs < reportAfterMs ? undefined : { count: waits.length, longestMs, holders: inquiry.last() };
    },
    announce(outcome, isWaiting) {
      if (outcome.isReported || clock.now() - outcome.since < reportAfterMs) return;
      outcome.isReported = true;
      void inquiry.ask().then((holders) => {
        if (!isWaiting()) return;
        const { id: jobId, chainId, typeName, attempt } = outcome.item.attempt.job;
        const waitedMs = clock.now() - outcome.since;
        const named = { jobId, chainId, typeName, workerId, attempt };
        events.record([{ type: "outcome-held-up", ...named, waitedMs, holders }], undefined);
      });
    },
  };
}
