import type { ScheduleRecord, TickRecord } from "../model/recurring.ts";
import { enterHeap, leaveHeap, createLazyHeap, peekKey, type LazyHeap } from "./lazy-heap.ts";

/** Recurring schedules and their ticks. */
export interface Schedules {
  readonly byId: Map<string, ScheduleRecord>;
  /** Those that will tick, by their next tick. */
  readonly due: LazyHeap<ScheduleRecord>;
  /** The ticks of each schedule, by their instants. */
  readonly ticks: Map<string, Map<number, TickRecord>>;
  readonly ticksByChain: Map<string, TickRecord>;
  /** All ticks, the oldest written first. */
  readonly made: Set<TickRecord>;
}

export function createSchedules(): Schedules {
  const byId = new Map<string, ScheduleRecord>();
  return {
    byId,
    due: createLazyHeap((row) => byId.get(row.id) === row),
    ticks: new Map(),
    ticksByChain: new Map(),
    made: new Set(),
  };
}

/** Milliseconds until the next tick. */
export function nextTickInMs({ due }: Schedules, now: number): number | undefined {
  const at = peekKey(due);
  return at === undefined ? undefined : Math.max(0, at - now);
}

/** `row` undefined: removes the schedule. Returns the row before. */
export function replaceSchedule(
  { byId, due }: Schedules,
  id: string,
  row: ScheduleRecord | undefined,
): ScheduleRecord | undefined {
  const before = byId.get(id);
  if (row === undefined) byId.delete(id);
  else byId.set(id, row);
  if (before !== undefined && tickOf(before) !== undefined) leaveHeap(due);
  const at = row === undefined ? undefined : tickOf(row);
  if (row !== undefined && at !== undefined) enterHeap(due, at, row);
  return before;
}

/** When a schedule that is not paused ticks. */
function tickOf({ pausedAt, nextAt }: ScheduleRecord): number | undefined {
  return pausedAt === undefined ? nextAt : undefined;
}

export function addTick({ ticks, ticksByChain, made }: Schedules, tick: TickRecord): void {
  const { scheduleId, at, chainId } = tick;
  const own = ticks.get(scheduleId) ?? new Map<number, TickRecord>();
  ticks.set(scheduleId, own.set(at, tick));
  if (chainId !== undefined) ticksByChain.set(chainId, tick);
  made.add(tick);
}

export function dropTick({ ticks, ticksByChain, made }: Schedules, tick: TickRecord): void {
  const { scheduleId, at, chainId } = tick;
  const own = ticks.get(scheduleId);
  own?.delete(at);
  if (own?.size === 0) ticks.delete(scheduleId);
  if (chainId !== undefined && ticksByChain.get(chainId) === tick) ticksByChain.delete(chainId);
  made.delete(tick);
}
