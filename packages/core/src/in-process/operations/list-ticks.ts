import type { TickRecord } from "../../model/recurring.ts";
import type { TickQuery } from "../../ports/schedule.ts";
import type { Store } from "../store.ts";

export function listTicks({ schedules }: Store, query: TickQuery): readonly TickRecord[] {
  if ("chainIds" in query) return query.chainIds.flatMap((id) => schedules.ticksByChain.get(id) ?? []);
  const { scheduleIds, before = Infinity, limit } = query;
  return scheduleIds.flatMap((id) => {
    const ticks = [...(schedules.ticks.get(id)?.values() ?? [])].filter(({ at }) => at < before);
    return ticks.sort((left, right) => right.at - left.at).slice(0, limit);
  });
}
