import type { Reply } from "../../ports/reply.ts";
import type { ScheduleChange } from "../../ports/schedule.ts";
import * as rules from "../../rules/schedules.ts";
import { scheduleRows } from "../schedule-rows.ts";
import type { Store } from "../store.ts";

export function changeSchedules(
  store: Store,
  changes: readonly ScheduleChange[],
  now: number,
): Reply<readonly (number | undefined)[]> {
  return rules.changeSchedules(scheduleRows(store), changes, now);
}
