import type { TickItem, TickReply } from "../../ports/schedule.ts";
import * as rules from "../../rules/schedules.ts";
import type { InProcessRows } from "../rows.ts";
import { scheduleRows } from "../schedule-rows.ts";

export function tick(rows: InProcessRows, items: readonly TickItem[], now: number): readonly TickReply[] {
  return rules.tick({ rows, schedules: scheduleRows(rows.store) }, items, now);
}
