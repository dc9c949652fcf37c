import { parse } from "../checks/json.ts";
import { definitionOf, overrideOf } from "./definition-of.ts";
import type { ScheduleRecord } from "../model/recurring.ts";
import type { RecurringSchedule } from "../types/recurring.ts";
import { dateOf } from "./date-of.ts";

/** A schedule as a caller reads it. */
export function scheduleView(record: ScheduleRecord): RecurringSchedule {
  const { rule, startAt, endAt, input, ...definition } = definitionOf(record);
  const { id, owner, revision, pausedReason, lastChainId, missedCount, skippedCount } = record;
  return {
    id,
    owner,
    typeName: definition.typeName,
    input: parse(input),
    cron: "cron" in rule ? rule.cron : undefined,
    timeZone: "cron" in rule ? rule.timeZone : undefined,
    everyMs: "everyMs" in rule ? rule.everyMs : undefined,
    from: "everyMs" in rule ? new Date(rule.from) : undefined,
    startAt: startAt === null ? undefined : new Date(startAt),
    endAt: endAt === null ? undefined : new Date(endAt),
    missed: definition.missed,
    maxMissed: definition.maxMissed,
    overlap: definition.overlap,
    jitterMs: definition.jitterMs,
    priority: definition.priority,
    pool: definition.pool ?? undefined,
    paused: record.pausedAt !== undefined,
    pausedAt: dateOf(record.pausedAt),
    pausedReason,
    edited: Object.keys(overrideOf(record)).map((name) => (name === "rule" ? (Object.keys(rule)[0] ?? name) : name)),
    revision,
    nextAt: dateOf(record.nextAt),
    lastAt: dateOf(record.lastAt),
    lastChainId,
    missedCount,
    skippedCount,
    createdAt: new Date(record.createdAt),
    updatedAt: new Date(record.updatedAt),
  };
}
