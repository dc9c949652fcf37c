import type { ScheduleDefinition, ScheduleOverride } from "../../../src/model/schedule-definition.ts";
import type { ScheduleSettings } from "../../../src/model/recurring.ts";

/** A schedule as the calls have left it. */
export interface ModelSchedule {
  readonly definition: ScheduleDefinition;
  readonly isPaused: boolean;
  nextAt: number | undefined;
  missedCount: number;
}

/** What the ticks of one advance may be. */
export interface ExpectedTicks {
  readonly starts: readonly number[];
  readonly missed: number;
}

/** A tick that is more than this late has been missed: a promise of the documentation, written here again. */
const missedAfterMs = 60_000;

export function definitionOf({ declared, override }: ScheduleSettings): ScheduleDefinition {
  const changed = override === undefined ? {} : (JSON.parse(override) as ScheduleOverride);
  return { ...(JSON.parse(declared) as ScheduleDefinition), ...changed };
}

/** The patterns of the simulation: all of them tick at equal distances, so that this model computes without the engine. */
export const patterns: Readonly<Record<string, number>> = {
  "*/10 * * * * *": 10_000,
  "* * * * *": 60_000,
  "*/5 * * * *": 300_000,
};

function rhythmOf({ rule }: ScheduleDefinition): { readonly stepMs: number; readonly phase: number } {
  if ("everyMs" in rule) return { stepMs: rule.everyMs, phase: rule.from };
  return { stepMs: patterns[rule.cron] ?? NaN, phase: 0 };
}

export function nextAfter(definition: ScheduleDefinition, after: number): number {
  const { stepMs, phase } = rhythmOf(definition);
  return Math.max(phase, phase + (Math.floor((after - phase) / stepMs) + 1) * stepMs);
}

/** The instants from one to another, both included. */
export function instantsOf(definition: ScheduleDefinition, first: number, last: number): readonly number[] {
  const { stepMs } = rhythmOf(definition);
  return Array.from({ length: Math.floor((last - first) / stepMs) + 1 }, (_, n) => first + n * stepMs);
}

/** What a policy makes of instants, if they are planned at that time. */
export function ticksOf(
  { missed: policy, maxMissed }: Pick<ScheduleDefinition, "missed" | "maxMissed">,
  instants: readonly number[],
  plannedAt: number,
): ExpectedTicks {
  const late = instants.filter((at) => at < plannedAt - missedAfterMs);
  const inTime = instants.slice(late.length);
  if (late.length === 0) return { starts: instants, missed: 0 };
  if (policy === "one") return { starts: instants.slice(-1), missed: instants.length - 1 };
  const taken = policy === "all" ? late.slice(0, maxMissed) : [];
  return { starts: [...taken, ...inTime], missed: late.length - taken.length };
}

/** The moments of a span at which a plan begins to differ. */
export function turningPoints(instants: readonly number[], from: number, until: number): readonly number[] {
  const points = [from, ...instants.flatMap((at) => [at + missedAfterMs, at + missedAfterMs + 1]), until];
  return points.filter((point) => point >= from && point <= until);
}
