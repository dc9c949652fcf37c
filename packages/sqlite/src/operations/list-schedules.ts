import type { ScheduleList, ScheduleQuery } from "chainwright/adapter";
import { scheduleColumns, scheduleRecord, type ScheduleRow } from "../rows/schedule-row.ts";
import type { Store } from "../store.ts";
import { createFilter, paged, within } from "./page.ts";
import { createStatements } from "./statements.ts";

export function createListSchedules(store: Store): (query: ScheduleQuery, now: number) => ScheduleList {
  const statement = createStatements<ScheduleRow>(store);
  return (query, now) => {
    const { ids, owner, typeNames, isPaused, tzVersionNot, limit } = query;
    const filter = createFilter("true");
    within(filter, "id", ids);
    if (owner !== undefined) filter.and("owner = ?", owner);
    within(filter, "type_name", typeNames);
    if (isPaused !== undefined) filter.and(`paused_at is ${isPaused ? "not null" : "null"}`);
    if (tzVersionNot !== undefined) filter.and("next_at is not null and tz_version is not ?", tzVersionNot);
    const page = paged(filter, "id", query);
    const select = `select ${scheduleColumns} from ${store.tables.schedule} where ${filter.text} ${page}`;
    return {
      now,
      schedules: statement(select)
        .all(...filter.parameters, limit)
        .map(scheduleRecord),
    };
  };
}
