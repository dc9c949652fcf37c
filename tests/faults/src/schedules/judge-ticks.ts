import type { ScheduleRecord, TickRecord } from "chainwright/adapter";

/** The ticks of a schedule that is due every `everyMs`, the latest first, as a store has them. */
export interface TicksOfSchedule {
  readonly schedule: ScheduleRecord;
  readonly ticks: readonly TickRecord[];
}

/** What is wrong with ticks that should have neither a hole nor a double. Empty: nothing. */
export function judgeTicks({ schedule, ticks }: TicksOfSchedule, everyMs: number): readonly string[] {
  const wrong: string[] = [];
  const say = (what: string): void => void wrong.push(`${schedule.id}: ${what}`);
  const [latest] = ticks;
  if (latest === undefined) return [`${schedule.id}: it has no tick`];
  if (latest.at !== schedule.lastAt)
    say(`its latest tick is of ${latest.at}, and it has advanced over ${schedule.lastAt}`);
  if (schedule.nextAt !== latest.at + everyMs) say(`its next tick is ${schedule.nextAt}, after ${latest.at}`);
  ticks.forEach(({ at, chainId }, index) => {
    const before = ticks[index + 1];
    if (before !== undefined && at - before.at !== everyMs) say(`there is a hole between ${before.at} and ${at}`);
    if (chainId === undefined) say(`the tick of ${at} has no chain`);
  });
  const chains = new Set(ticks.map(({ chainId }) => chainId));
  if (chains.size !== ticks.length) say(`${ticks.length} ticks have ${chains.size} chains`);
  return wrong;
}
