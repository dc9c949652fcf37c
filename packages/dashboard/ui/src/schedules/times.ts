import type { ScheduleTimesEdit } from "../../../src/protocol/actions.ts";
import type { RecurringView } from "../../../src/protocol/schedules.ts";
import { formatDuration } from "../format/duration.ts";

type Times = Pick<RecurringView, "cron" | "timeZone" | "everyMs">;

export function timesOf({ cron, timeZone, everyMs }: Times): ScheduleTimesEdit {
  return cron === undefined ? { everyMs: everyMs ?? 60_000 } : { cron, timeZone: timeZone ?? "UTC" };
}

/** The pattern as it was written, or the interval. */
export function timesText({ cron, everyMs }: Times): string {
  return cron ?? `every ${formatDuration(everyMs ?? 0)}`;
}
