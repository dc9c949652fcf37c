import { checkInteger, checkKeys, checkMoment } from "../checks/check-options.ts";
import type { OccurrenceNote } from "../model/recurrence.ts";
import type { ScheduleTimes } from "../model/schedule-times.ts";
import { ruleOf } from "./rule.ts";
import { createRecurrences } from "./recurrence.ts";

/**
 * What {@link previewSchedule} takes: the parts of a schedule that decide when it ticks.
 *
 * @example
 * const options: PreviewOptions = { cron: "0 9 * * MON-FRI", timeZone: "Europe/Vienna", count: 5 };
 * for (const { at } of previewSchedule(options)) console.log(at.toISOString());
 */
export interface PreviewOptions extends ScheduleTimes {
  /** With `everyMs`: the first tick. Default: `after`. */
  readonly from?: Date | undefined;
  /** The most ticks to return, up to 10,000. Default: 10. */
  readonly count?: number | undefined;
  /** Returns the ticks after this moment. Default: now. */
  readonly after?: Date | undefined;
}

/** A tick to come. */
export interface PreviewedRun {
  readonly at: Date;
  /** What a change of the clocks does to it. Undefined: nothing. */
  readonly note: OccurrenceNote | undefined;
}

const keys = {
  cron: true,
  timeZone: true,
  everyMs: true,
  from: true,
  startAt: true,
  endAt: true,
  count: true,
  after: true,
} satisfies Record<keyof PreviewOptions, true>;

/**
 * Returns the next ticks of a schedule, with a note where the clocks change. It reads no store: workers compute ticks in the same way.
 *
 * @throws `invalid-input`
 * @example
 * for (const run of previewSchedule({ cron: "30 2 * * *", timeZone: "Europe/Vienna", count: 3 }))
 *   console.log(run.at, run.note);
 */
export function previewSchedule(options: PreviewOptions): readonly PreviewedRun[] {
  checkKeys(options, keys, "previewSchedule");
  const count = options.count === undefined ? 10 : checkInteger(options.count, "count", { min: 1, max: 10_000 });
  let after = options.after === undefined ? Date.now() : checkMoment(options.after, "after");
  const recurrence = createRecurrences().of(ruleOf(options, after));
  const runs: PreviewedRun[] = [];
  for (let run = recurrence.next(after); run !== undefined && runs.length < count; run = recurrence.next(after)) {
    runs.push({ at: new Date(run.at), note: run.note });
    after = run.at;
  }
  return runs;
}
