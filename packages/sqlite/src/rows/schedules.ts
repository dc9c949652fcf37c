import type { ScheduleRows } from "chainwright/adapter";
import type { Store } from "../store.ts";
import {
  scheduleColumns,
  scheduleRecord,
  scheduleValues,
  tickColumns,
  tickRecord,
  type ScheduleRow,
  type TickRow,
} from "./schedule-row.ts";

/** What the rules of schedules read and write, as statements of one connection. */
export function createScheduleRows({ tables: t, sql }: Store): ScheduleRows {
  const byId = sql<ScheduleRow>(`select ${scheduleColumns} from ${t.schedule} where id = ?`);
  const put = sql(
    `insert into ${t.schedule} (${scheduleColumns}) values (${placesFor(scheduleColumns)})
     on conflict (id) do update set ${replacing(scheduleColumns, "id")}`,
  );
  const remove = sql(`delete from ${t.schedule} where id = ?`);
  const tickAt = sql<TickRow>(`select ${tickColumns} from ${t.tick} where schedule_id = ? and at = ?`);
  const putTick = sql(
    `insert into ${t.tick} (${tickColumns}) values (${placesFor(tickColumns)})
     on conflict (schedule_id, at) do update set ${replacing(tickColumns, "schedule_id", "at")}`,
  );
  const oldest = sql<TickRow>(
    `select ${tickColumns} from ${t.tick} where made_at <= ? order by made_at, schedule_id, at limit ?`,
  );
  const removeTick = sql(`delete from ${t.tick} where schedule_id = ? and at = ?`);
  return {
    schedule: (id) => {
      const row = byId.get(id);
      return row && scheduleRecord(row);
    },
    putSchedule: (record) => void put.run(...scheduleValues(record)),
    removeSchedule: (id) => void remove.run(id),
    tickAt: (scheduleId, at) => {
      const row = tickAt.get(scheduleId, at);
      return row && tickRecord(row);
    },
    putTick: ({ scheduleId, at, madeAt, chainId, reason }) =>
      void putTick.run(scheduleId, at, madeAt, chainId ?? null, reason ?? null),
    ticksMadeBy: (madeAt, limit) => oldest.all(madeAt, limit).map(tickRecord),
    removeTick: ({ scheduleId, at }) => void removeTick.run(scheduleId, at),
  };
}

function placesFor(columns: string): string {
  return namesIn(columns)
    .map(() => "?")
    .join(", ");
}

/** Assigns all columns but the key, so that the index of the key is not written. */
function replacing(columns: string, ...key: readonly string[]): string {
  return namesIn(columns)
    .filter((name) => !key.includes(name))
    .map((name) => `${name} = excluded.${name}`)
    .join(", ");
}

function namesIn(columns: string): readonly string[] {
  return columns.split(",").map((name) => name.trim());
}
