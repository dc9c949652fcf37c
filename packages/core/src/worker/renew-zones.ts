import type { Engine } from "../engine/engine.ts";
import type { ScheduleRecord } from "../model/recurring.ts";
import { tzVersion } from "../model/tz-version.ts";
import { renewedTick } from "../operations/renewed-tick.ts";
import { schedulePages } from "../operations/schedule-pages.ts";
import type { Recurrences } from "../schedules/recurrence.ts";
import { retryConflicts } from "../timing/retry-conflicts.ts";

/**
 * Computes again when schedules tick that were computed with older time zones. A worker with older ones changes nothing. One that is
 * paused is renewed when it is resumed.
 */
export async function renewZones(engine: Engine): Promise<void> {
  const own = tzVersion();
  if (own === undefined) return;
  for await (const { now, schedules } of schedulePages(engine, { tzVersionNot: own, isPaused: false })) {
    for (const record of schedules) await renewZone(engine, record, now);
  }
}

async function renewZone(engine: Engine, record: ScheduleRecord, now: number): Promise<void> {
  const { state, clock, callOptions } = engine;
  const { id, revision, nextAt } = record;
  const renewed = renewedIfReadable(await engine.recurrences(), record, now);
  if (renewed === undefined || renewed.nextAt === nextAt) return;
  const change = { id, from: { revision, nextAt }, to: { ...record, ...renewed } };
  await retryConflicts(state, clock, () => state.changeSchedules([change], callOptions()));
}

/** A rule that this runtime cannot read, as with a zone that it does not know, must not keep the others from their renewal. */
function renewedIfReadable(
  recurrences: Recurrences,
  record: ScheduleRecord,
  now: number,
): ReturnType<typeof renewedTick> {
  try {
    return renewedTick(recurrences, record, now);
  } catch {
    return undefined;
  }
}
