/**
 * When a schedule ticks: a pattern in a time zone, or an interval.
 *
 * @example
 * const atNine: ScheduleTimes = { cron: "0 9 * * MON-FRI", timeZone: "Europe/Vienna" };
 * await client.createSchedule({ id: "reminders", typeName: "reminder.send", input: { to }, ...atNine });
 */
export interface ScheduleTimes {
  /**
   * A pattern of minute, hour, day, month and weekday, with seconds in front if it has 6 fields, and the year at the end if it has 7.
   *
   * A pattern that names hours ticks once a day on each day, also where clocks change: a time that does not exist is at the first moment
   * after the gap, a time that comes twice is at its first. One whose hour is `*` goes on in real time.
   */
  readonly cron?: string | undefined;
  /** The IANA time zone of the pattern. Default: `"UTC"`. */
  readonly timeZone?: string | undefined;
  /** Instead of a pattern: milliseconds between two ticks, at least 1,000. */
  readonly everyMs?: number | undefined;
  /** With `everyMs`: the moment of a tick, from which the others are counted. Default: the creation. */
  readonly from?: Date | undefined;
  /** No tick before. */
  readonly startAt?: Date | undefined;
  /** No tick after. */
  readonly endAt?: Date | undefined;
}
