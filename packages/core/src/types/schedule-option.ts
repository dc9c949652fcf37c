/**
 * When a job becomes due. Without it: at once.
 *
 * @example
 * const inAnHour: ScheduleOption = { afterMs: 3_600_000 };
 * const atNine: ScheduleOption = { at: new Date("2030-01-01T09:00:00Z") };
 * await client.startChain({ typeName: "reminder.send", input: { to }, schedule: inAnHour });
 */
export type ScheduleOption = ScheduleAt | ScheduleAfter;

/** At this time, by the store's clock. */
export interface ScheduleAt {
  readonly at: Date;
}

/** This long from now. */
export interface ScheduleAfter {
  readonly afterMs: number;
}
