import { describeError } from "../checks/describe-error.ts";
import type { Engine } from "../engine/engine.ts";
import { startedJobsEvents } from "../engine/job-events.ts";
import type { ChainwrightEvent } from "../model/event.ts";
import type { ScheduleRecord } from "../model/recurring.ts";
import type { MissedPolicy, ScheduleDefinition } from "../model/schedule-definition.ts";
import { definitionOf, ruleOfDefinition } from "./definition-of.ts";
import { tzVersion } from "../model/tz-version.ts";
import type { TickItem, TickReply } from "../ports/schedule.ts";
import type { StartReply } from "../ports/start.ts";
import { retryConflicts } from "../timing/retry-conflicts.ts";
import { planTicks, type TickPlan } from "./tick-plan.ts";
import { needsNewerCode, tickInput, tickStart } from "./tick-start.ts";

/** The ticks of a schedule, ready to be written. */
export interface PreparedTicks {
  readonly record: ScheduleRecord;
  readonly definition: ScheduleDefinition;
  readonly plan: TickPlan;
  readonly item: TickItem;
}

/** A schedule whose ticks cannot be written. `isForNewerCode`: this code is too old for its input. */
export interface BrokenSchedule {
  readonly record: ScheduleRecord;
  readonly error: unknown;
  readonly isForNewerCode: boolean;
}

/** Computes the ticks of a schedule that are due at the store's time, by its own policy or another one. */
export async function prepareTicks(
  engine: Engine,
  record: ScheduleRecord,
  { now, missed }: { readonly now: number; readonly missed?: MissedPolicy | undefined },
): Promise<PreparedTicks | BrokenSchedule> {
  try {
    const definition = definitionOf(record);
    const recurrence = (await engine.recurrences()).of(ruleOfDefinition(definition));
    const first = record.nextAt ?? now;
    const policy = missed ?? definition.missed;
    const plan = planTicks(recurrence, { first, now, policy, maxMissed: definition.maxMissed });
    const input = await tickInput(engine, definition);
    const starts = plan.starts.map(({ at, missed: leftOut }) => ({
      at,
      start: tickStart(engine, definition, input, { scheduleId: record.id, at, missed: leftOut }),
    }));
    const item: TickItem = {
      scheduleId: record.id,
      advance: {
        revision: record.revision,
        nextAt: first,
        to: plan.next,
        lastAt: plan.lastAt,
        tzVersion: tzVersion() ?? "",
      },
      starts,
      skipped: plan.missedAt.map((at) => ({ at, reason: "missed" as const })),
      missed: plan.missed,
      overlap: definition.overlap,
    };
    return { record, definition, plan, item };
  } catch (error) {
    return { record, error, isForNewerCode: needsNewerCode(error) };
  }
}

type Ticked = Pick<
  Extract<ChainwrightEvent, { readonly type: "schedule-ticked" }>,
  "scheduleId" | "typeName" | "at" | "missed"
>;

/** The events of a tick that started a chain. Its start has no key, so it is never deduplicated. */
export function tickedEvents(ticked: Ticked, chain: StartReply, now: number): readonly ChainwrightEvent[] {
  const lateMs = Math.max(0, now - ticked.at);
  return [{ type: "schedule-ticked", ...ticked, chainId: chain.id, lateMs }, ...startedJobsEvents(chain.jobs)];
}

/** The events of ticks that were written. */
export function tickEvents(
  ticks: PreparedTicks | undefined,
  reply: TickReply,
  now: number,
): readonly ChainwrightEvent[] {
  if (ticks === undefined || reply.status === "taken") return [];
  const {
    record,
    definition: { typeName },
    plan,
    item,
  } = ticks;
  const scheduleId = record.id;
  const events: ChainwrightEvent[] = [];
  reply.starts.forEach((started, index) => {
    const at = item.starts[index]?.at ?? now;
    if (started.status === "overlap")
      events.push({ type: "tick-skipped", scheduleId, typeName, at, chainId: started.chainId });
    if (started.status !== "started") return;
    const missed = plan.starts[index]?.missed ?? 0;
    events.push(...tickedEvents({ scheduleId, typeName, at, missed }, started.chain, now));
  });
  if (plan.firstMissedAt !== undefined)
    events.push({ type: "tick-missed", scheduleId, typeName, missed: plan.missed, from: plan.firstMissedAt });
  return events;
}

/** Pauses a schedule whose input cannot be used, unless it has changed meanwhile. */
export async function pauseBroken(engine: Engine, { record, error }: BrokenSchedule, now: number): Promise<void> {
  const { id, revision, nextAt, typeName } = record;
  const described = describeError(error);
  const pausedReason = described.message.slice(0, 2_000);
  const to = { ...record, pausedAt: now, pausedReason };
  const { state, clock, callOptions } = engine;
  const change = { id, from: { revision, nextAt }, to };
  const reply = await retryConflicts(state, clock, () => state.changeSchedules([change], callOptions()));
  if (reply.ok)
    engine.events.record([{ type: "schedule-broken", scheduleId: id, typeName, error: described }], undefined);
}
