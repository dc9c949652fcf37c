import type { ChainId } from "../model/ids.ts";

/** A recurring schedule, as it is listed. */
export interface RecurringSchedule {
  readonly id: string;
  /** As given to `applySchedules`. */
  readonly owner: string | undefined;
  readonly typeName: string;
  /** As it is stored. */
  readonly input: unknown;
  /** Its pattern and zone, or its interval and first tick. */
  readonly cron: string | undefined;
  readonly timeZone: string | undefined;
  readonly everyMs: number | undefined;
  readonly from: Date | undefined;
  readonly startAt: Date | undefined;
  readonly endAt: Date | undefined;
  readonly missed: "skip" | "one" | "all";
  readonly maxMissed: number;
  readonly overlap: "allow" | "skip";
  readonly jitterMs: number;
  readonly priority: number;
  readonly pool: string | undefined;
  readonly paused: boolean;
  readonly pausedAt: Date | undefined;
  /** As given to `pauseSchedule`, or why the schedule paused itself. */
  readonly pausedReason: string | undefined;
  /** The names of the parts that were changed at run time, and that `resetSchedule` drops. */
  readonly edited: readonly string[];
  /** Grows with each change, and not with ticks. */
  readonly revision: number;
  /** Undefined: it will not tick again. While it is paused: the tick at which it stopped. */
  readonly nextAt: Date | undefined;
  readonly lastAt: Date | undefined;
  /** The chain that its latest tick with a chain started. */
  readonly lastChainId: ChainId | undefined;
  /** Ticks that were left out because they were late. */
  readonly missedCount: number;
  /** Ticks that were left out because the chain of the tick before was active. */
  readonly skippedCount: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A tick of a schedule. Ticks are on record for 14 days. */
export interface ScheduleTick {
  readonly scheduleId: string;
  readonly at: Date;
  /** The chain that it started. Undefined: none. */
  readonly chainId: ChainId | undefined;
  /** Why it started no chain: the chain of the tick before was active, or it was late. */
  readonly reason: "overlap" | "missed" | undefined;
  /** When it was written. */
  readonly madeAt: Date;
}

/** The schedules that are due. */
export interface DueSchedulesInfo {
  /** The longest due first. */
  readonly items: readonly RecurringSchedule[];
  /** How long the first of them has been due. 0: none is. */
  readonly lagMs: number;
  /** Until the next tick; 0 if one is due. Undefined: no schedule will tick. */
  readonly nextTickInMs: number | undefined;
}
