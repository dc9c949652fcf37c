import type { TickQuery, TickRecord } from "chainwright/adapter";
import { tickColumns, tickRecord, type TickRow } from "../rows/schedule-row.ts";
import type { Store } from "../store.ts";

export function createListTicks({ tables: t, sql }: Store): (query: TickQuery) => readonly TickRecord[] {
  // From the last tick that the limit allows on: a probe of each schedule.
  const latest = sql<TickRow>(
    `select ${tickColumns} from json_each(?) asked cross join ${t.tick} on schedule_id = asked.value and at < ?
       and at >= coalesce((select l.at from ${t.tick} l where l.schedule_id = asked.value and l.at < ?
         order by l.at desc limit 1 offset ?), -9e15)
     order by asked.key, at desc`,
  );
  const ofChains = sql<TickRow>(
    `select ${tickColumns} from ${t.tick} where chain_id is not null and chain_id in (select value from json_each(?))`,
  );
  return (query) => {
    if ("chainIds" in query) return ofChains.all(JSON.stringify(query.chainIds)).map(tickRecord);
    const { scheduleIds, before = Number.MAX_SAFE_INTEGER, limit } = query;
    return latest.all(JSON.stringify(scheduleIds), before, before, limit - 1).map(tickRecord);
  };
}
