import type { TickRecord } from "../model/recurring.ts";
import type { ScheduleRows } from "../rules/schedules.ts";
import { addTick, dropTick, replaceSchedule } from "./schedules.ts";
import type { Store } from "./store.ts";

/** What the rules of schedules read and write in a store. */
export function scheduleRows(store: Store): ScheduleRows {
  const { schedules } = store;
  const replace = (id: string, row: Parameters<typeof replaceSchedule>[2]): void => {
    const before = replaceSchedule(schedules, id, row);
    store.changes?.others.push(["schedule", id]);
    store.journal?.push(() => {
      replaceSchedule(schedules, id, before);
    });
  };
  const drop = (tick: TickRecord): void => {
    dropTick(schedules, tick);
    store.changes?.others.push(["tick", tick.scheduleId, tick.at]);
    store.journal?.push(() => {
      addTick(schedules, tick);
    });
  };
  const tickAt = (scheduleId: string, at: number) => schedules.ticks.get(scheduleId)?.get(at);
  return {
    schedule: (id) => schedules.byId.get(id),
    putSchedule: (row) => {
      replace(row.id, row);
    },
    removeSchedule: (id) => {
      replace(id, undefined);
    },
    tickAt,
    putTick: (tick) => {
      const before = tickAt(tick.scheduleId, tick.at);
      if (before !== undefined) drop(before);
      addTick(schedules, tick);
      store.changes?.others.push(["tick", tick.scheduleId, tick.at]);
      store.journal?.push(() => {
        dropTick(schedules, tick);
      });
    },
    ticksMadeBy: (madeAt, limit) => {
      const old: TickRecord[] = [];
      for (const tick of schedules.made) {
        if (old.length >= limit || tick.madeAt > madeAt) break;
        old.push(tick);
      }
      return old;
    },
    removeTick: drop,
  };
}
