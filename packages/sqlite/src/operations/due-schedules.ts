import type { DueSchedules } from "chainwright/adapter";
import { scheduleColumns, scheduleRecord, type ScheduleRow } from "../rows/schedule-row.ts";
import type { Tables } from "../schema.ts";
import type { Store } from "../store.ts";

const ticking = "paused_at is null and next_at is not null";

/** Selects `next_at` of the schedule that ticks next; one row also if there is none. */
export function selectNextTick(t: Tables): string {
  return `select (select next_at from ${t.schedule} where ${ticking} order by next_at limit 1) as next_at`;
}

/** Reads one schedule more than it returns, which says when to look again. */
export function createDueSchedules({ tables: t, sql }: Store): (limit: number, now: number) => DueSchedules {
  const soonest = sql<ScheduleRow>(
    `select ${scheduleColumns} from ${t.schedule} where ${ticking} order by next_at, id limit ?`,
  );
  return (limit, now) => {
    const rows = soonest.all(limit + 1);
    const due = rows.slice(0, limit).filter(({ next_at: at }) => at !== null && at <= now);
    const nextAt = rows[due.length]?.next_at ?? undefined;
    const nextTickInMs = nextAt === undefined ? undefined : Math.max(0, nextAt - now);
    return { now, schedules: due.map(scheduleRecord), nextTickInMs };
  };
}
