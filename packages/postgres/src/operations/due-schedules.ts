import type { CallOptions, DueSchedules } from "chainwright/adapter";
import { momentOf, wholeMs } from "../rows.ts";
import { scheduleRecordOf } from "../schedule-rows.ts";
import { momentParameter, type Store } from "../store.ts";

/** Reads one schedule more than it returns, which says when to look again. */
export async function dueSchedules<Tx>(
  { schema: { quoted: s }, run }: Store<Tx>,
  limit: number,
  { tx, now: given }: CallOptions<Tx>,
): Promise<DueSchedules> {
  const text = `select ${wholeMs("m.now")} as now, s.*
from (select ${momentOf("$1")} as now) m left join ${s}.soonest_schedules_v1($2::text::integer) s on true order by s.next_at, s.id`;
  const parameters = [momentParameter(given), String(limit + 1)];
  const rows = await run(tx, { text, parameters, prepare: true });
  const now = Number(rows[0]?.[0]);
  const soonest = rows.filter((row) => row[1] !== null).map((row) => scheduleRecordOf(row.slice(1)));
  const schedules = soonest.slice(0, limit).filter(({ nextAt = Infinity }) => nextAt <= now);
  const nextAt = soonest[schedules.length]?.nextAt;
  return { now, schedules, nextTickInMs: nextAt === undefined ? undefined : Math.max(0, nextAt - now) };
}
