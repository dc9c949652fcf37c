import type { RecurrenceRule } from "../model/recurrence.ts";
import type { ScheduleRecord } from "../model/recurring.ts";
import type { ScheduleDefinition, ScheduleOverride } from "../model/schedule-definition.ts";

type Stored = Pick<ScheduleRecord, "declared" | "override">;

/** What holds for a schedule now. */
export function definitionOf(record: Stored): ScheduleDefinition {
  return { ...declaredOf(record), ...overrideOf(record) };
}

export function declaredOf({ declared }: Stored): ScheduleDefinition {
  return JSON.parse(declared) as ScheduleDefinition;
}

export function overrideOf({ override }: Stored): ScheduleOverride {
  return override === undefined ? {} : (JSON.parse(override) as ScheduleOverride);
}

/** When a schedule ticks. */
export function ruleOfDefinition({ rule, startAt, endAt }: ScheduleDefinition): RecurrenceRule {
  return { ...rule, startAt: startAt ?? undefined, endAt: endAt ?? undefined };
}
