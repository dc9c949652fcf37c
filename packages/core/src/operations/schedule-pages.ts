import type { StoreAccess } from "../engine/engine.ts";
import type { ScheduleList, ScheduleQuery } from "../ports/schedule.ts";

/** The most schedules of one page. */
const pageSize = 500;

/** Reads all schedules that match, page by page, in the order of their ids. */
export async function* schedulePages(
  { state, callOptions }: StoreAccess,
  filter: Omit<ScheduleQuery, "after" | "limit" | "order">,
  tx?: unknown,
): AsyncGenerator<ScheduleList, void> {
  for (let after: string | undefined; ;) {
    const page = await state.listSchedules({ ...filter, after, limit: pageSize, order: "ascending" }, callOptions(tx));
    yield page;
    if (page.schedules.length < pageSize) return;
    after = page.schedules.at(-1)?.id;
  }
}
