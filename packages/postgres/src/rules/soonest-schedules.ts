import { scheduleTable, selectedSchedule } from "../schedule-rows.ts";
import type { Schema } from "../schema.ts";
import { outerFunction } from "../sql-function.ts";

/**
 * The schedules that tick next, the soonest first. It is a function because of its plan: it reads as many rows of the index of
 * schedules that tick as it returns, however many others there are.
 */
export function soonestSchedulesFunction(schema: Schema): string {
  return outerFunction(schema, {
    name: "soonest_schedules_v1",
    parameters: "p_limit integer",
    returns: `table(${scheduleTable})`,
    isStable: true,
    declare: "",
    body: `  return query
  select ${selectedSchedule("s")}
  from ${schema.quoted}.schedule s
  where s.paused_at is null and s.next_at is not null
  order by s.next_at, s.id limit p_limit;`,
  });
}
