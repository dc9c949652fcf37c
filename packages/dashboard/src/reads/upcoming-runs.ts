import type { RecurringSchedule } from "chainwright";
import { previewSchedule } from "chainwright/schedules";
import type { UpcomingRun } from "../protocol/schedules.ts";

/** The next 10 ticks of a schedule after a moment, as if it were not paused. */
export function upcomingRuns(schedule: RecurringSchedule, after: number): readonly UpcomingRun[] {
  const { cron, timeZone, everyMs, from, startAt, endAt } = schedule;
  const times = cron === undefined ? { everyMs, from } : { cron, timeZone };
  const runs = previewSchedule({ ...times, startAt, endAt, count: 10, after: new Date(after) });
  return runs.map(({ at, note }) => ({ at: at.getTime(), note }));
}
