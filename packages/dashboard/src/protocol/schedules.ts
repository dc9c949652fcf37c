import type { Page, PayloadView } from "./views.ts";

/** GET schedules?typeName&cursor&limit: recurring schedules by their ids. Jobs that are due later are in GET schedule. */
export type SchedulesResponse = Page<RecurringView>;

/** GET recurring?id: one recurring schedule */
export interface RecurringResponse {
  readonly now: number;
  readonly schedule: RecurringView;
  readonly input: PayloadView;
  /** The next 10, as if it were not paused. */
  readonly runs: readonly UpcomingRun[];
}

export interface RecurringView {
  readonly id: string;
  readonly typeName: string;
  readonly owner: string | undefined;
  /** As it was written. Undefined: it has an interval. */
  readonly cron: string | undefined;
  readonly timeZone: string | undefined;
  readonly everyMs: number | undefined;
  readonly startAt: number | undefined;
  readonly endAt: number | undefined;
  readonly missed: "skip" | "one" | "all";
  readonly overlap: "allow" | "skip";
  readonly jitterMs: number;
  readonly pool: string | undefined;
  readonly paused: boolean;
  readonly pausedAt: number | undefined;
  /** Set if it paused itself. */
  readonly pausedReason: string | undefined;
  /** The parts that were changed at run time. */
  readonly edited: readonly string[];
  readonly revision: number;
  /** Undefined: it does not tick again, or it is paused. */
  readonly nextAt: number | undefined;
  readonly missedCount: number;
  readonly skippedCount: number;
  /** The latest 20 of the last 14 days, the latest first. */
  readonly ticks: readonly TickView[];
}

export interface TickView {
  readonly at: number;
  /** Undefined: it started none. */
  readonly chainId: string | undefined;
  /** Why it started no chain. */
  readonly reason: "overlap" | "missed" | undefined;
}

export interface UpcomingRun {
  readonly at: number;
  /** What a change of the clocks does to it. Undefined: nothing. */
  readonly note: "moved out of a gap" | "first of two" | "second of two" | undefined;
}
