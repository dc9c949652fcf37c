import type { RecurringSchedule, ScheduleTick } from "chainwright";
import type { Call, Context } from "../context.ts";
import type { RecurringResponse, RecurringView, SchedulesResponse } from "../protocol/schedules.ts";
import { queries, readQuery } from "../http/query.ts";
import { Refusal } from "../http/refusal.ts";
import { longestReason, redactedText, storedPayloadView } from "../views.ts";
import { upcomingRuns } from "./upcoming-runs.ts";

const pageSize = 20;
const mostTicks = 20;
const mostBytes = 4_194_304;

/** Recurring schedules, which start chains again and again. */
export async function schedules(context: Context, { query }: Call): Promise<SchedulesResponse> {
  const { typeName, cursor, limit = pageSize } = readQuery(query, queries.byType);
  const { items, nextCursor } = await context.client.listSchedules({ typeName, cursor, limit });
  return {
    items: await recurringViews(context, items),
    nextCursor,
    now: context.clock.now(),
    searchedTo: undefined,
  };
}

export async function recurring(context: Context, { query }: Call): Promise<RecurringResponse> {
  const { id } = readQuery(query, queries.bySchedule);
  const { client, clock, redaction } = context;
  const [found] = (await client.listSchedules({ ids: [id], limit: 1 })).items;
  if (found === undefined) throw new Refusal(404, "schedule-not-found", "There is no such schedule.");
  const where = { part: "input", typeName: found.typeName, chainId: "" } as const;
  const [view] = await recurringViews(context, [found]);
  if (view === undefined) throw new TypeError("each schedule must have a view; got none.");
  return {
    now: clock.now(),
    schedule: view,
    input: storedPayloadView(found, where, { redaction, mostBytes }),
    runs: upcomingRuns(found, clock.now()),
  };
}

/** Reads the latest ticks of all of them in one call. */
async function recurringViews(
  { client, redaction }: Context,
  listed: readonly RecurringSchedule[],
): Promise<readonly RecurringView[]> {
  const ids = listed.map(({ id }) => id);
  const ticks = ids.length === 0 ? [] : (await client.listTicks({ ids, limit: mostTicks })).items;
  const bySchedule = Map.groupBy(ticks, ({ scheduleId }) => scheduleId);
  return listed.map((schedule) => recurringView(schedule, bySchedule.get(schedule.id) ?? [], redaction));
}

function recurringView(
  schedule: RecurringSchedule,
  ticks: readonly ScheduleTick[],
  redaction: Context["redaction"],
): RecurringView {
  const { id, typeName, owner, cron, timeZone, everyMs, missed, overlap, jitterMs, pool } = schedule;
  const { paused, pausedReason, edited, revision, missedCount, skippedCount } = schedule;
  const where = { part: "reason", typeName, chainId: "" } as const;
  return {
    id,
    typeName,
    owner,
    cron,
    timeZone,
    everyMs,
    missed,
    overlap,
    jitterMs,
    pool,
    paused,
    edited,
    revision,
    missedCount,
    skippedCount,
    pausedReason: pausedReason === undefined ? undefined : redactedText(pausedReason, where, redaction, longestReason),
    startAt: schedule.startAt?.getTime(),
    endAt: schedule.endAt?.getTime(),
    pausedAt: schedule.pausedAt?.getTime(),
    nextAt: paused ? undefined : schedule.nextAt?.getTime(),
    ticks: ticks.map(({ at, chainId, reason }) => ({ at: at.getTime(), chainId, reason })),
  };
}
