import type { JobStart } from "../model/job-start.ts";
import type { ScheduleRecord, ScheduleSettings, SkipReason } from "../model/recurring.ts";
import type { PageQuery } from "./query.ts";
import type { StartReply } from "./start.ts";

/** A state of a schedule that a change or a tick was computed from. */
export interface ScheduleState {
  readonly revision: number;
  readonly nextAt: number | undefined;
}

/** A schedule to create, to change or to delete. */
export interface ScheduleChange {
  readonly id: string;
  /**
   * The schedule must be in this state; otherwise the call is refused with `schedule-changed`, or with `schedule-not-found` if there is
   * none. Undefined: there must be no schedule of this id; otherwise the call is refused with `duplicate-id`.
   */
  readonly from: ScheduleState | undefined;
  /** Undefined: it is deleted. Its ticks stay on record. */
  readonly to: ScheduleSettings | undefined;
}

/** Selects schedules that match all given conditions. */
export interface ScheduleQuery extends PageQuery {
  readonly ids?: readonly string[] | undefined;
  readonly owner?: string | undefined;
  readonly typeNames?: readonly string[] | undefined;
  readonly isPaused?: boolean | undefined;
  /** Only schedules that have a next tick, and whose `tzVersion` is another one. */
  readonly tzVersionNot?: string | undefined;
}

/** Schedules, and the store's time. */
export interface ScheduleList {
  readonly now: number;
  readonly schedules: readonly ScheduleRecord[];
}

/** The schedules that are due, the store's time, and when to look again. */
export interface DueSchedules extends ScheduleList {
  /**
   * Milliseconds until the first schedule that was not returned has its next tick; 0 if it is due now. Undefined: there is no other
   * schedule that will tick.
   */
  readonly nextTickInMs: number | undefined;
}

/** Ticks of one schedule to write together. */
export interface TickItem {
  readonly scheduleId: string;
  /** How the schedule advances. Undefined: it stays where it is, and the ticks fill gaps in its past. */
  readonly advance: TickAdvance | undefined;
  /** In the order of their instants. Their starts have ids of their own and no blockers, so nothing can refuse them. */
  readonly starts: readonly { readonly at: number; readonly start: JobStart }[];
  /** Instants that are put on record without a chain, unless they are on record. */
  readonly skipped: readonly { readonly at: number; readonly reason: SkipReason }[];
  /** How many are added to `missedCount`. */
  readonly missed: number;
  /** `skip`: a start is left out while the chain with the id `lastChainId` is active. */
  readonly overlap: "allow" | "skip";
}

/** How a tick advances its schedule. */
export interface TickAdvance extends ScheduleState {
  /** The schedule's state that this tick was computed from: its next tick. */
  readonly nextAt: number;
  /** The new next tick. Undefined: there is none. */
  readonly to: number | undefined;
  readonly lastAt: number;
  readonly tzVersion: string;
}

/**
 * What became of the ticks of one schedule. `taken`: nothing was written, because the schedule is not in the state that the ticks were
 * computed from, is paused, is not due by the store's time, is locked by another transaction, or does not exist.
 */
export type TickReply =
  | { readonly status: "taken" }
  | { readonly status: "ticked"; readonly starts: readonly TickedStart[] };

/**
 * What became of one start. `known`: a tick of this instant is on record, so nothing was written. `overlap`: the chain before is
 * active, so the instant is on record without a chain.
 */
export type TickedStart =
  | { readonly status: "started"; readonly chain: StartReply }
  | { readonly status: "known" }
  | { readonly status: "overlap"; readonly chainId: string };

/**
 * Selects ticks: those of some schedules, in the order of the ids, the latest instant of each first; or those that started some chains.
 */
export type TickQuery =
  | {
      /** Each once. */
      readonly scheduleIds: readonly string[];
      /** Exclusive. Undefined: from the latest on. */
      readonly before: number | undefined;
      /** The most of each schedule. */
      readonly limit: number;
    }
  | { readonly chainIds: readonly string[] };
