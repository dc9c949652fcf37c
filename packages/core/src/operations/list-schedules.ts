import {
  checkBytes,
  checkInteger,
  checkKeys,
  checkMoment,
  checkText,
  invalid,
  isList,
  show,
} from "../checks/check-options.ts";
import type { StoreAccess } from "../engine/engine.ts";
import type { TickRecord } from "../model/recurring.ts";
import type { InTransaction, Page, PageOptions, TypeFilter } from "../types/list-options.ts";
import type { DueSchedulesInfo, RecurringSchedule, ScheduleTick } from "../types/recurring.ts";
import { checkLimit } from "./list-queries.ts";
import { checkScheduleId } from "./schedule-options.ts";
import { scheduleView } from "./schedule-view.ts";

export interface ListSchedules extends PageOptions, TypeFilter<string>, InTransaction<unknown> {
  readonly ids?: readonly string[] | undefined;
  readonly owner?: string | undefined;
  readonly paused?: boolean | undefined;
  readonly order?: "ascending" | "descending" | undefined;
}

export interface ListTicks extends PageOptions, InTransaction<unknown> {
  readonly id?: string | undefined;
  readonly ids?: readonly string[] | undefined;
}

const listKeys = {
  ids: true,
  owner: true,
  paused: true,
  typeName: true,
  order: true,
  cursor: true,
  limit: true,
  tx: true,
} satisfies Record<keyof ListSchedules, true>;
const tickKeys = { id: true, ids: true, cursor: true, limit: true, tx: true } satisfies Record<keyof ListTicks, true>;

export async function listSchedules(
  { state, callOptions }: StoreAccess,
  options: ListSchedules = {},
): Promise<Page<RecurringSchedule>> {
  checkKeys(options, listKeys, "listSchedules");
  const { ids, owner, paused, typeName, order = "ascending", cursor, tx } = options;
  if (paused !== undefined && typeof paused !== "boolean")
    throw invalid(`paused must be true or false; got ${show(paused)}.`);
  if (order !== "ascending" && order !== "descending")
    throw invalid(`order must be "ascending" or "descending"; got ${show(order)}.`);
  const limit = checkLimit(options.limit);
  const { schedules } = await state.listSchedules(
    {
      ids: ids?.map((id) => checkScheduleId(id)),
      owner: owner === undefined ? undefined : checkText(owner, "owner", 200),
      typeNames: typeName === undefined ? undefined : isList(typeName) ? typeName : [typeName],
      isPaused: paused,
      after: cursor === undefined ? undefined : checkBytes(cursor, "cursor", 500),
      order,
      limit: limit + 1,
    },
    callOptions(tx),
  );
  const items = schedules.slice(0, limit).map(scheduleView);
  return { items, nextCursor: schedules.length > limit ? items.at(-1)?.id : undefined };
}

/** The ticks of a schedule, the latest first, or the latest of each of several. */
export async function listTicks({ state, callOptions }: StoreAccess, options: ListTicks): Promise<Page<ScheduleTick>> {
  checkKeys(options, tickKeys, "listTicks");
  const { id, ids, cursor, tx } = options;
  if ((id === undefined) === (ids === undefined))
    throw invalid(`listTicks must have either id or ids; got ${id === undefined ? "none" : "both"}.`);
  if (ids !== undefined && cursor !== undefined)
    throw invalid("cursor must be left out with ids: list the older ticks of each schedule by its id.");
  const scheduleIds = [...new Set((ids ?? [id]).map(checkScheduleId))];
  const before = cursor === undefined ? undefined : checkMoment(Number(cursor), "cursor");
  const limit = options.limit === undefined ? 20 : checkInteger(options.limit, "limit", { min: 1, max: 1_000 });
  if (ids !== undefined) {
    const latest = await state.listTicks({ scheduleIds, before, limit }, callOptions(tx));
    return { items: latest.map(tickView), nextCursor: undefined };
  }
  const ticks = await state.listTicks({ scheduleIds, before, limit: limit + 1 }, callOptions(tx));
  const items = ticks.slice(0, limit).map(tickView);
  const last = items.at(-1);
  return {
    items,
    nextCursor: ticks.length > limit && last !== undefined ? String(last.at.getTime()) : undefined,
  };
}

function tickView({ scheduleId, at, chainId, reason, madeAt }: TickRecord): ScheduleTick {
  return { scheduleId, at: new Date(at), chainId, reason, madeAt: new Date(madeAt) };
}

export interface ListDueSchedules extends InTransaction<unknown> {
  readonly limit?: number | undefined;
}

const dueKeys = { limit: true, tx: true } satisfies Record<keyof ListDueSchedules, true>;

/** The schedules that are due and have not ticked, the longest due first. */
export async function listDueSchedules(
  { state, callOptions }: StoreAccess,
  options: ListDueSchedules = {},
): Promise<DueSchedulesInfo> {
  checkKeys(options, dueKeys, "listDueSchedules");
  const { now, schedules, nextTickInMs } = await state.dueSchedules(checkLimit(options.limit), callOptions(options.tx));
  return {
    items: schedules.map(scheduleView),
    lagMs: Math.max(0, now - (schedules[0]?.nextAt ?? now)),
    nextTickInMs: schedules.length === 0 ? nextTickInMs : 0,
  };
}
