/**
 * A recurring schedule as a store keeps it. The engine computes everything in it, patterns and time zones included: a store compares
 * `revision`, `nextAt` and `pausedAt`, and keeps the rest as it is. Moments are milliseconds since 1970.
 */
export interface ScheduleRecord extends ScheduleSettings {
  readonly id: string;
  /** From 1. Each change adds 1; a tick adds nothing. */
  readonly revision: number;
  /** The latest instant that the schedule has advanced over. */
  readonly lastAt: number | undefined;
  /** The chain that the latest tick with a chain started. It may have been deleted since. */
  readonly lastChainId: string | undefined;
  /** Ticks that were left out because they were late. */
  readonly missedCount: number;
  /** Ticks that were left out because the chain of the tick before was active. */
  readonly skippedCount: number;
  /** The first and the last instant of the ticks that were forgotten, see {@link tickKeptMs}. Undefined: none was. */
  readonly forgotten: { readonly from: number; readonly until: number } | undefined;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** What a change of a schedule writes. */
export interface ScheduleSettings {
  /** The part of an application that declares the schedule. Undefined: none. 1 to 200 characters. */
  readonly owner: string | undefined;
  /** The type of the chains that it starts. */
  readonly typeName: string;
  /** JSON text: the schedule as it was created or last applied. */
  readonly declared: string;
  /** JSON text: what was changed at run time, which wins over `declared`. Undefined: nothing. */
  readonly override: string | undefined;
  /** Undefined: it is not paused. */
  readonly pausedAt: number | undefined;
  /** As given with the pause, or why it paused itself. */
  readonly pausedReason: string | undefined;
  /** The next tick. Undefined: there is none. A paused schedule keeps it, and is not due. */
  readonly nextAt: number | undefined;
  /** The version of the time zones with which `nextAt` was computed. */
  readonly tzVersion: string | undefined;
}

/**
 * Why a tick started no chain: the chain of the tick before was active, or it was late and left out.
 */
export type SkipReason = "overlap" | "missed";

/** A tick of a schedule that is on record. There is at most one of a schedule and an instant. */
export interface TickRecord {
  readonly scheduleId: string;
  /** The instant of the schedule, which may be earlier than `madeAt`. */
  readonly at: number;
  /** The chain that it started, or that had its deduplication key. It may have been deleted since. Undefined: none. */
  readonly chainId: string | undefined;
  /** Set without a chain. */
  readonly reason: SkipReason | undefined;
  /** When it was written. */
  readonly madeAt: number;
}

/**
 * For state adapters: the chore `windows` forgets ticks that were written this many milliseconds ago or earlier.
 *
 * @example
 * const isOld = ({ madeAt }: TickRecord, now: number): boolean => madeAt <= now - tickKeptMs;
 */
export const tickKeptMs = 14 * 86_400_000;

/** What a schedule has that never ticked. */
export const noTicks = {
  lastAt: undefined,
  lastChainId: undefined,
  missedCount: 0,
  skippedCount: 0,
  forgotten: undefined,
} as const;
