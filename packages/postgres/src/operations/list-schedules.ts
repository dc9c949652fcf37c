import type { CallOptions, ScheduleList, ScheduleQuery } from "chainwright/adapter";
import { momentOf, wholeMs } from "../rows.ts";
import { scheduleRecordOf, selectedSchedule } from "../schedule-rows.ts";
import { momentParameter, type Store } from "../store.ts";
import { page, where, whereOneOf, type Filter } from "./filter.ts";

/** Not prepared: the best plan depends on which filters are given. */
export async function listSchedules<Tx>(
  { schema: { quoted: s }, run }: Store<Tx>,
  query: ScheduleQuery,
  { tx, now }: CallOptions<Tx>,
): Promise<ScheduleList> {
  const { ids, owner, typeNames, isPaused, tzVersionNot } = query;
  const filter: Filter = { conditions: [], parameters: [momentParameter(now)] };
  whereOneOf(filter, "s.id", ids);
  if (owner !== undefined) where(filter, owner, (place) => `s.owner = ${place}`);
  whereOneOf(filter, "s.type_name", typeNames);
  if (isPaused !== undefined) filter.conditions.push(`s.paused_at is ${isPaused ? "not null" : "null"}`);
  if (tzVersionNot !== undefined)
    where(filter, tzVersionNot, (place) => `s.next_at is not null and s.tz_version is distinct from ${place}`);
  const selected = `select ${selectedSchedule("s")} from ${s}.schedule s ${page(filter, "s.id", query, "text")}`;
  const direction = query.order === "ascending" ? "asc" : "desc";
  const text = `select ${wholeMs("m.now")} as now, s.*
from (select ${momentOf("$1")} as now) m left join (${selected}) s on true order by s.id ${direction}`;
  const rows = await run(tx, { text, parameters: filter.parameters, prepare: false });
  const schedules = rows.filter((row) => row[1] !== null).map((row) => scheduleRecordOf(row.slice(1)));
  return { now: Number(rows[0]?.[0]), schedules };
}
