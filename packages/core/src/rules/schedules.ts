import { ChainwrightError } from "../model/error.ts";
import {
  noTicks,
  tickKeptMs,
  type ScheduleRecord,
  type ScheduleSettings,
  type SkipReason,
  type TickRecord,
} from "../model/recurring.ts";
import type { Reply } from "../ports/reply.ts";
import type { ScheduleChange, TickAdvance, TickedStart, TickItem, TickReply } from "../ports/schedule.ts";
import { start as startChains } from "./begin.ts";
import { refused } from "./replies.ts";
import type { Handle, Rows } from "./rows.ts";

/*
 * How recurring schedules change and tick.
 *
 * A tick is written with the advance of its schedule: both, or neither. The record of ticks holds at most one of a schedule and an
 * instant, also where a backfill, a restored backup or two workers meet.
 */

/**
 * What the rules of schedules need of a store with one writer, beside {@link Rows}: reads and writes that decide nothing.
 *
 * @example
 * const tickIn = (rows: Rows<Handle, Handle>, schedules: ScheduleRows, items: readonly TickItem[]) =>
 *   rules.tick({ rows, schedules }, items, Date.now());
 */
export interface ScheduleRows {
  schedule(id: string): ScheduleRecord | undefined;
  /** Writes a new schedule, or all of one that exists. */
  putSchedule(schedule: ScheduleRecord): void;
  removeSchedule(id: string): void;
  tickAt(scheduleId: string, at: number): TickRecord | undefined;
  /** Writes a new tick, or replaces the one of the same schedule and instant. */
  putTick(tick: TickRecord): void;
  /** The ticks that were written at `madeAt` or earlier, the oldest first, up to `limit`. */
  ticksMadeBy(madeAt: number, limit: number): readonly TickRecord[];
  removeTick(tick: TickRecord): void;
}

/** The rows of chains and those of schedules of one store. */
export interface TickRows<Job extends Handle, Chain extends Handle> {
  readonly rows: Rows<Job, Chain>;
  readonly schedules: ScheduleRows;
}

/** Changes schedules: all, or none. */
export function changeSchedules(
  schedules: ScheduleRows,
  changes: readonly ScheduleChange[],
  now: number,
): Reply<readonly (number | undefined)[]> {
  for (const { id, from } of changes) {
    const present = schedules.schedule(id);
    if (from === undefined) {
      if (present !== undefined) return refused({ code: "duplicate-id", id });
    } else if (present === undefined) {
      return refused({ code: "schedule-not-found", id });
    } else if (present.revision !== from.revision || present.nextAt !== from.nextAt) {
      return refused({ code: "schedule-changed", id, actual: String(present.revision) });
    }
  }
  return { ok: true, value: changes.map((change) => changeOne(schedules, change, now)) };
}

function changeOne(schedules: ScheduleRows, { id, to }: ScheduleChange, now: number): number | undefined {
  if (to === undefined) {
    schedules.removeSchedule(id);
    return undefined;
  }
  const present = schedules.schedule(id) ?? { ...noTicks, id, revision: 0, createdAt: now };
  const revision = present.revision + 1;
  schedules.putSchedule({ ...present, ...settingsOf(to), revision, updatedAt: now });
  return revision;
}

/** Only the settings: callers may pass a whole record, and ticks and upkeep may have changed the rest since they read it. */
function settingsOf(to: ScheduleSettings): ScheduleSettings {
  const { owner, typeName, declared, override, pausedAt, pausedReason, nextAt, tzVersion } = to;
  return { owner, typeName, declared, override, pausedAt, pausedReason, nextAt, tzVersion };
}

/** Writes ticks. */
export function tick<Job extends Handle, Chain extends Handle>(
  store: TickRows<Job, Chain>,
  items: readonly TickItem[],
  now: number,
): readonly TickReply[] {
  return items.map((item) => tickOne(store, item, now));
}

function tickOne<Job extends Handle, Chain extends Handle>(
  store: TickRows<Job, Chain>,
  item: TickItem,
  now: number,
): TickReply {
  const { schedules } = store;
  const { scheduleId, advance } = item;
  const schedule = schedules.schedule(scheduleId);
  if (schedule === undefined || !isDueFor(schedule, advance, now)) return { status: "taken" };
  let { lastChainId, skippedCount } = schedule;
  const starts = item.starts.map((planned): TickedStart => {
    const begun = startOne(store, { item, planned, lastChainId }, now);
    if (begun.status === "started") lastChainId = begun.chain.id;
    if (begun.status === "overlap") skippedCount += 1;
    return begun;
  });
  for (const { at, reason } of item.skipped) {
    if (schedules.tickAt(scheduleId, at) === undefined) schedules.putTick(skip(scheduleId, at, { reason, now }));
  }
  if (advance !== undefined) {
    const { to: nextAt, lastAt, tzVersion } = advance;
    const missedCount = schedule.missedCount + item.missed;
    schedules.putSchedule({ ...schedule, nextAt, lastAt, tzVersion, lastChainId, missedCount, skippedCount });
  }
  return { status: "ticked", starts };
}

function isDueFor(schedule: ScheduleRecord, advance: TickAdvance | undefined, now: number): boolean {
  if (advance === undefined) return true;
  const { revision, nextAt } = advance;
  return (
    schedule.revision === revision &&
    schedule.nextAt === nextAt &&
    schedule.pausedAt === undefined &&
    schedule.nextAt <= now
  );
}

interface Planned {
  readonly item: TickItem;
  readonly planned: TickItem["starts"][number];
  readonly lastChainId: string | undefined;
}

function startOne<Job extends Handle, Chain extends Handle>(
  { rows, schedules }: TickRows<Job, Chain>,
  { item, planned, lastChainId }: Planned,
  now: number,
): TickedStart {
  const { scheduleId, advance, overlap } = item;
  const { at, start } = planned;
  const recorded = schedules.tickAt(scheduleId, at);
  if (recorded !== undefined && (advance !== undefined || recorded.chainId !== undefined)) return { status: "known" };
  if (advance === undefined && isForgotten(schedules.schedule(scheduleId), at)) return { status: "known" };
  if (overlap === "skip" && lastChainId !== undefined) {
    const before = rows.chain(lastChainId);
    if (before !== undefined && rows.chainStatusOf(before) === "active") {
      if (recorded === undefined) schedules.putTick(skip(scheduleId, at, { reason: "overlap", now }));
      return { status: "overlap", chainId: lastChainId };
    }
  }
  const [reply] = startChains(rows, [{ starts: [start] }], now);
  if (reply?.ok === false) throw new ChainwrightError(reply.refusal.code, `a tick's start was refused: ${start.id}`);
  const chain = reply?.value[0];
  if (chain === undefined) throw new TypeError("a start must return a chain; got none.");
  schedules.putTick({ scheduleId, at, chainId: chain.id, reason: undefined, madeAt: now });
  return { status: "started", chain };
}

/** Whether a tick of the instant may have been on record. */
function isForgotten(schedule: ScheduleRecord | undefined, at: number): boolean {
  const forgotten = schedule?.forgotten;
  return forgotten !== undefined && forgotten.from <= at && at <= forgotten.until;
}

/** Forgets up to `limit` old ticks, and notes with their schedules between which instants; returns whether there may be more. */
export function forgetTicks(schedules: ScheduleRows, limit: number, now: number): boolean {
  const old = schedules.ticksMadeBy(now - tickKeptMs, limit);
  for (const each of old) {
    schedules.removeTick(each);
    const schedule = schedules.schedule(each.scheduleId);
    if (schedule === undefined) continue;
    const { from = each.at, until = each.at } = schedule.forgotten ?? {};
    const forgotten = { from: Math.min(from, each.at), until: Math.max(until, each.at) };
    schedules.putSchedule({ ...schedule, forgotten });
  }
  return old.length >= limit;
}

function skip(
  scheduleId: string,
  at: number,
  { reason, now }: { readonly reason: SkipReason; readonly now: number },
): TickRecord {
  return { scheduleId, at, chainId: undefined, reason, madeAt: now };
}
