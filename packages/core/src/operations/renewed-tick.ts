import type { ScheduleRecord } from "../model/recurring.ts";
import { tzVersion } from "../model/tz-version.ts";
import type { Recurrences } from "../schedules/recurrence.ts";
import { definitionOf, ruleOfDefinition } from "./definition-of.ts";

/**
 * The next tick of a schedule by newer time zones than those it was computed with, if it was in the future at `since`. Undefined: it
 * stays. Of two releases of the zones the newer one is right.
 */
export function renewedTick(
  recurrences: Recurrences,
  record: ScheduleRecord,
  since: number,
): Pick<ScheduleRecord, "nextAt" | "tzVersion"> | undefined {
  const own = tzVersion();
  const { nextAt, tzVersion: stored = "" } = record;
  const definition = definitionOf(record);
  if (own === undefined || nextAt === undefined || nextAt <= since || stored >= own) return undefined;
  if ("everyMs" in definition.rule) return undefined;
  return { nextAt: recurrences.of(ruleOfDefinition(definition)).next(since)?.at, tzVersion: own };
}
