import type { ScheduleRecord } from "../../model/recurring.ts";
import type { ScheduleList, ScheduleQuery } from "../../ports/schedule.ts";
import type { Store } from "../store.ts";

export function listSchedules({ schedules }: Store, query: ScheduleQuery, now: number): ScheduleList {
  const { ids, after, order, limit } = query;
  const rows = ids === undefined ? [...schedules.byId.values()] : ids.flatMap((id) => schedules.byId.get(id) ?? []);
  const sign = order === "ascending" ? 1 : -1;
  const selected = rows.filter(
    (row) => (after === undefined || sign * compare(row.id, after) > 0) && isSelected(row, query),
  );
  selected.sort((left, right) => sign * compare(left.id, right.id));
  return { now, schedules: selected.slice(0, limit) };
}

function isSelected(row: ScheduleRecord, { owner, typeNames, isPaused, tzVersionNot }: ScheduleQuery): boolean {
  return (
    (owner === undefined || row.owner === owner) &&
    (typeNames === undefined || typeNames.includes(row.typeName)) &&
    (isPaused === undefined || (row.pausedAt !== undefined) === isPaused) &&
    (tzVersionNot === undefined || (row.nextAt !== undefined && row.tzVersion !== tzVersionNot))
  );
}

function compare(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
