import { latestOf, ticksBetween, type Recurrence } from "../model/recurrence.ts";
import type { MissedPolicy } from "../model/schedule-definition.ts";

/** A tick that is more than this late has been missed. */
const missedAfterMs = 60_000;
/** The most missed ticks of one plan that are put on record. */
const mostRecorded = 20;

/** What to do about the ticks of a schedule that are due. */
export interface TickPlan {
  readonly starts: readonly PlannedStart[];
  /** Missed ticks to put on record: the latest of them. */
  readonly missedAt: readonly number[];
  /** How many ticks are left out because they are late, and the first of them. */
  readonly missed: number;
  readonly firstMissedAt: number | undefined;
  /** The latest tick that is due. */
  readonly lastAt: number;
  /** The next tick that is not due. Undefined: there is none. */
  readonly next: number | undefined;
}

interface PlannedStart {
  readonly at: number;
  /** How many ticks before it were left out. */
  readonly missed: number;
}

interface Due {
  /** The next tick on record, which is due. */
  readonly first: number;
  /** The store's time. */
  readonly now: number;
  readonly policy: MissedPolicy;
  readonly maxMissed: number;
}

/** Plans the ticks from `first` to `now`. */
export function planTicks(recurrence: Recurrence, due: Due): TickPlan {
  const { first, now, policy, maxMissed } = due;
  const next = recurrence.next(now)?.at;
  const lastLate = now - missedAfterMs - 1;
  if (first > lastLate) {
    const ticks = [first, ...ticksBetween(recurrence, first, now)];
    return planOf(
      ticks.map((at) => ({ at, missed: 0 })),
      { next, first, lastAt: ticks.at(-1) ?? first },
    );
  }
  const [lastAt = first] = latestOf(recurrence, { after: first, until: now, limit: 1 });
  if (policy === "one") {
    const missed = recurrence.count(first, now);
    const recorded = recordedOf(recurrence, first - 1, lastAt - 1);
    return planOf([{ at: lastAt, missed }], { next, first, lastAt, missed, recorded });
  }
  const inTime = ticksBetween(recurrence, lastLate, now);
  const late = 1 + recurrence.count(first, lastLate);
  const taken = policy === "all" ? [first, ...ticksBetween(recurrence, first, lastLate, maxMissed - 1)] : [];
  const missed = late - taken.length;
  const lastTaken = taken.at(-1) ?? first - 1;
  const recorded = missed === 0 ? [] : recordedOf(recurrence, lastTaken, lastLate);
  const starts = [...taken, ...inTime];
  // The first start after those that are left out reports them, or the last one.
  const place = Math.min(taken.length, starts.length - 1);
  return planOf(
    starts.map((at, index) => ({ at, missed: index === place ? missed : 0 })),
    { next, first: taken.length === 0 ? first : recurrence.next(lastTaken)?.at, lastAt, missed, recorded },
  );
}

function planOf(
  starts: readonly PlannedStart[],
  {
    next,
    first,
    lastAt,
    missed = 0,
    recorded = [],
  }: {
    readonly next: number | undefined;
    readonly first: number | undefined;
    readonly lastAt: number;
    readonly missed?: number;
    readonly recorded?: readonly number[];
  },
): TickPlan {
  return { starts, missedAt: recorded, missed, firstMissedAt: missed === 0 ? undefined : first, lastAt, next };
}

function recordedOf(recurrence: Recurrence, after: number, until: number): readonly number[] {
  return latestOf(recurrence, { after, until, limit: mostRecorded });
}
