import { describeError } from "../checks/describe-error.ts";
import type { Engine } from "../engine/engine.ts";
import { backoffMs } from "../model/backoff.ts";
import type { LimitChange } from "../ports/limit.ts";
import { retryConflicts } from "../timing/retry-conflicts.ts";
import { createTimeLimit } from "../timing/time-limit.ts";

const mostTries = 3;
const tryBackoff = { initialMs: 100, multiplier: 2, maxMs: 1_000, jitter: 0.5 };
const writeLimitMs = 5_000;

/**
 * Writes what an attempt has found out about keys, before its outcome is handed in. Never rejects: if the store does not take it, that is
 * an event, and the outcome is handed in as it is. If a reply is lost, it is written twice.
 *
 * @returns the replies of the store; undefined: it was not written
 */
export async function writeLimits(
  engine: Pick<Engine, "state" | "clock" | "callOptions" | "events">,
  workerId: string,
  changes: readonly LimitChange[],
): Promise<readonly boolean[] | undefined> {
  const { state, clock, callOptions, events } = engine;
  const timeLimit = createTimeLimit(clock, { limitMs: writeLimitMs, who: "the store" });
  const write = () => retryConflicts(state, clock, () => state.changeLimits(changes, callOptions()));
  for (let tries = 1; ; tries += 1) {
    try {
      return await timeLimit(write);
    } catch (error) {
      if (tries === mostTries) {
        events.record([{ type: "upkeep-failed", workerId, chore: "limits", error: describeError(error) }], undefined);
        return undefined;
      }
      const delayMs = backoffMs(tryBackoff, tries, clock.random());
      await new Promise<void>((resolve) => void clock.setTimer(resolve, delayMs));
    }
  }
}
