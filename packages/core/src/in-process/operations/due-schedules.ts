import type { ScheduleRecord } from "../../model/recurring.ts";
import type { DueSchedules } from "../../ports/schedule.ts";
import { nextTickInMs } from "../schedules.ts";
import type { Store } from "../store.ts";

export function dueSchedules({ schedules: stored }: Store, limit: number, now: number): DueSchedules {
  const inMs = nextTickInMs(stored, now);
  if (limit === 0 || inMs === undefined || inMs > 0) return { now, schedules: [], nextTickInMs: inMs };
  const { items, valid } = stored.due;
  // An item that left the heap and came back has two entries.
  const ticking = [...new Set(items)].filter((row) => valid(row, 0)).sort(bySoonest);
  const schedules = ticking.slice(0, limit).filter((row) => atOf(row) <= now);
  const next = ticking[schedules.length];
  return { now, schedules, nextTickInMs: next === undefined ? undefined : Math.max(0, atOf(next) - now) };
}

function bySoonest(left: ScheduleRecord, right: ScheduleRecord): number {
  return atOf(left) - atOf(right) || (left.id < right.id ? -1 : 1);
}

function atOf({ nextAt = Infinity }: ScheduleRecord): number {
  return nextAt;
}
