import { checkDuration, checkMoment, invalid, show } from "../checks/check-options.ts";
import type { RecurrenceRule } from "../model/recurrence.ts";
import type { ScheduleTimes } from "../model/schedule-times.ts";

/** Checks a rule that a caller wrote. `now`: the first tick of an interval that names none. */
export function ruleOf(options: ScheduleTimes, now: number): RecurrenceRule {
  const { cron, everyMs, timeZone, from } = options;
  const startAt = options.startAt === undefined ? undefined : checkMoment(options.startAt, "startAt");
  const endAt = options.endAt === undefined ? undefined : checkMoment(options.endAt, "endAt");
  if (startAt !== undefined && endAt !== undefined && endAt < startAt)
    throw invalid(`endAt must not be before startAt; got ${new Date(endAt).toISOString()}.`);
  if ((cron === undefined) === (everyMs === undefined))
    throw invalid(
      `a schedule must have either cron or everyMs; got ${cron === undefined ? "none" : "both"}. Use cron for times of day, and everyMs for an interval.`,
    );
  if (cron !== undefined) {
    if (from !== undefined) throw invalid("from must be left out with cron; use startAt for the first moment.");
    if (timeZone !== undefined && typeof timeZone !== "string")
      throw invalid(`timeZone must be a string; got ${show(timeZone)}.`);
    return { cron, timeZone: timeZone ?? "UTC", startAt, endAt };
  }
  if (timeZone !== undefined)
    throw invalid("timeZone must be left out with everyMs: an interval is in real time. Use cron for times of day.");
  if (typeof everyMs === "number" && everyMs < 1_000)
    throw invalid(`everyMs must be at least 1000, because a schedule ticks at most once a second; got ${everyMs}.`);
  const first = from === undefined ? now : checkMoment(from, "from");
  return { everyMs: checkDuration(everyMs ?? NaN, "everyMs", 1_000), from: first, startAt, endAt };
}
