/** The tick of a recurring schedule that started a chain. */
export interface ScheduledTick {
  readonly scheduleId: string;
  /** The instant of the schedule: the same for every attempt, however late the tick was. */
  readonly at: Date;
  /** How many ticks before it were left out because they were late. */
  readonly missed: number;
}
