import { rules } from "chainwright/adapter";
import type {
  DueSchedules,
  ScheduleChange,
  ScheduleList,
  ScheduleQuery,
  ScheduleRecord,
  ScheduleRows,
  TickItem,
  TickQuery,
  TickRecord,
} from "chainwright/adapter";
import type { Data } from "./data.ts";
import { createRows } from "./rows.ts";

/** What the rules of schedules read and write. */
export function scheduleRows(data: Data): ScheduleRows {
  const { schedules } = data;
  const isOther = (tick: { readonly scheduleId: string; readonly at: number }) => (other: TickRecord) =>
    other.scheduleId !== tick.scheduleId || other.at !== tick.at;
  return {
    schedule: (id) => schedules.get(id),
    putSchedule: (schedule) => void schedules.set(schedule.id, schedule),
    removeSchedule: (id) => void schedules.delete(id),
    tickAt: (scheduleId, at) => data.ticks.find((tick) => tick.scheduleId === scheduleId && tick.at === at),
    putTick: (tick) => void (data.ticks = [...data.ticks.filter(isOther(tick)), tick]),
    ticksMadeBy: (madeAt, limit) => data.ticks.filter((tick) => tick.madeAt <= madeAt).slice(0, limit),
    removeTick: (tick) => void (data.ticks = data.ticks.filter(isOther(tick))),
  };
}

export function writeTicks(data: Data, items: readonly TickItem[], now: number) {
  return rules.tick({ rows: createRows(data), schedules: scheduleRows(data) }, items, now);
}

export function changeSchedules(data: Data, changes: readonly ScheduleChange[], now: number) {
  return rules.changeSchedules(scheduleRows(data), changes, now);
}

/** The schedules that will tick, the soonest first. */
function ticking({ schedules }: Data): readonly (ScheduleRecord & { readonly nextAt: number })[] {
  return [...schedules.values()]
    .flatMap((row) => (row.nextAt === undefined || row.pausedAt !== undefined ? [] : [{ ...row, nextAt: row.nextAt }]))
    .toSorted((a, b) => a.nextAt - b.nextAt || (a.id < b.id ? -1 : 1));
}

export function nextTickInMs(data: Data, now: number): number | undefined {
  const [first] = ticking(data);
  return first === undefined ? undefined : Math.max(0, first.nextAt - now);
}

export function dueSchedules(data: Data, limit: number, now: number): DueSchedules {
  const all = ticking(data);
  const schedules = all.slice(0, limit).filter(({ nextAt }) => nextAt <= now);
  const next = all[schedules.length];
  return { now, schedules, nextTickInMs: next === undefined ? undefined : Math.max(0, next.nextAt - now) };
}

export function listSchedules(data: Data, query: ScheduleQuery, now: number): ScheduleList {
  const { ids, owner, typeNames, isPaused, tzVersionNot, after, order, limit } = query;
  const sign = order === "ascending" ? 1 : -1;
  const rows = [...data.schedules.values()].filter(
    (row) =>
      (ids === undefined || ids.includes(row.id)) &&
      (owner === undefined || row.owner === owner) &&
      (typeNames === undefined || typeNames.includes(row.typeName)) &&
      (isPaused === undefined || (row.pausedAt !== undefined) === isPaused) &&
      (tzVersionNot === undefined || (row.nextAt !== undefined && row.tzVersion !== tzVersionNot)) &&
      (after === undefined || (order === "ascending" ? row.id > after : row.id < after)),
  );
  return { now, schedules: rows.toSorted((a, b) => (a.id < b.id ? -sign : sign)).slice(0, limit) };
}

export function listTicks({ ticks }: Data, query: TickQuery): readonly TickRecord[] {
  if ("chainIds" in query)
    return ticks.filter(({ chainId }) => chainId !== undefined && query.chainIds.includes(chainId));
  const { scheduleIds, before = Infinity, limit } = query;
  return scheduleIds.flatMap((id) => {
    const own = ticks.filter(({ scheduleId, at }) => scheduleId === id && at < before);
    return own.toSorted((a, b) => b.at - a.at).slice(0, limit);
  });
}
