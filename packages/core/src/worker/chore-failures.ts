import type { Engine } from "../engine/engine.ts";
import { describeError } from "../checks/describe-error.ts";
import type { UpkeepChore } from "../model/event.ts";
import type { EventError } from "../model/event-error.ts";

/**
 * An upkeep chore that fails now.
 *
 * @example
 * const lines = (failures: readonly UpkeepFailure[]) =>
 *   failures.map(({ chore, since, error }) => `${chore} fails since ${since.toISOString()}: ${error.message}`);
 * console.warn(lines(worker.health().upkeepFailures).join("\n"));
 */
export interface UpkeepFailure {
  readonly chore: UpkeepChore;
  /** When it first failed since its last success. */
  readonly since: Date;
  /** The newest error. */
  readonly error: EventError;
}

/** Runs chores, and records which of them fail. */
export interface ChoreFailures {
  /** Undefined: the chore failed, and that was recorded. Never rejects. */
  attempt<T>(chore: UpkeepChore, work: () => Promise<T>): Promise<T | undefined>;
  /** The chores that fail now. */
  list(): readonly UpkeepFailure[];
}

interface Failing {
  readonly since: number;
  readonly reportedAt: number;
  readonly error: EventError;
}

/** A chore that keeps failing with the same error is reported again after this time. */
const reportAgainMs = 3_600_000;

export function createChoreFailures(
  { clock, events }: Pick<Engine, "clock" | "events">,
  workerId: string,
): ChoreFailures {
  const failing = new Map<UpkeepChore, Failing>();

  const fail = (chore: UpkeepChore, thrown: unknown): void => {
    const error = describeError(thrown);
    const now = clock.now();
    const before = failing.get(chore);
    const isNews = before?.error.name !== error.name || Math.abs(now - before.reportedAt) >= reportAgainMs;
    failing.set(chore, { since: before?.since ?? now, reportedAt: isNews ? now : before.reportedAt, error });
    if (isNews) events.record([{ type: "upkeep-failed", workerId, chore, error }], undefined);
  };

  return {
    async attempt(chore, work) {
      try {
        const value = await work();
        if (failing.delete(chore)) events.record([{ type: "upkeep-restored", workerId, chore }], undefined);
        return value;
      } catch (error) {
        fail(chore, error);
        return undefined;
      }
    },
    list: () => Array.from(failing, ([chore, { since, error }]) => ({ chore, since: new Date(since), error })),
  };
}
