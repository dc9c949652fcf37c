import type {
  DueSchedules,
  Refusal,
  ScheduleChange,
  ScheduleList,
  ScheduleQuery,
  ScheduleRecord,
  ScheduleSettings,
  TickAdvance,
  TickedStart,
  TickItem,
  TickRecord,
  TickReply,
} from "chainwright/adapter";
import { failureOf, only } from "../check.ts";
import { job } from "./build.ts";
import { accepted, type StateFixture } from "./fixture.ts";

/** The settings of a schedule whose next tick is so many milliseconds from now. */
export function settings(
  fixture: StateFixture,
  inMs: number | undefined,
  details: Partial<ScheduleSettings> = {},
): ScheduleSettings {
  return {
    owner: undefined,
    typeName: "a",
    declared: "{}",
    override: undefined,
    pausedAt: undefined,
    pausedReason: undefined,
    nextAt: inMs === undefined ? undefined : fixture.now() + inMs,
    tzVersion: "2025a",
    ...details,
  };
}

export async function changed(
  { store, options }: StateFixture,
  changes: readonly ScheduleChange[],
  tx?: unknown,
): Promise<readonly (number | undefined)[]> {
  return accepted("the changes are accepted", await store.changeSchedules(changes, options(tx)));
}

export async function refusalOf(
  { store, options }: StateFixture,
  changes: readonly ScheduleChange[],
  tx?: unknown,
): Promise<Refusal> {
  const reply = await store.changeSchedules(changes, options(tx));
  if (reply.ok) throw failureOf("the changes are refused", { wanted: "{ ok: false, refusal }", actual: reply });
  return reply.refusal;
}

export function create(
  fixture: StateFixture,
  id: string,
  inMs: number | undefined,
  details?: Partial<ScheduleSettings>,
): Promise<readonly (number | undefined)[]> {
  return changed(fixture, [{ id, from: undefined, to: settings(fixture, inMs, details) }]);
}

export function listed(fixture: StateFixture, query: Partial<ScheduleQuery> = {}, tx?: unknown): Promise<ScheduleList> {
  const all = { after: undefined, limit: 1_000, order: "ascending" } as const;
  return fixture.store.listSchedules({ ...all, ...query }, fixture.options(tx));
}

export async function scheduleOf(fixture: StateFixture, id: string, tx?: unknown): Promise<ScheduleRecord> {
  return only(`there is a schedule ${id}`, (await listed(fixture, { ids: [id] }, tx)).schedules);
}

export function due(fixture: StateFixture, limit = 1_000): Promise<DueSchedules> {
  return fixture.store.dueSchedules(limit, fixture.options());
}

export async function nextTickInMs(fixture: StateFixture): Promise<number | undefined> {
  const beat = { workerId: "w", name: "w", typeNames: [], concurrency: 1, holds: 0, aliveForMs: 1_000 };
  return (await fixture.store.heartbeat(beat, fixture.options())).nextTickInMs;
}

export function idsOf(schedules: readonly ScheduleRecord[]): readonly string[] {
  return schedules.map(({ id }) => id);
}

export interface Advance extends Partial<Omit<TickAdvance, "to">> {
  /** Milliseconds from now until the new next tick. Left out: there is none. */
  readonly to?: number;
}

/** An item that starts chains of type `a` at these instants, and advances its schedule. */
export async function itemOf(
  fixture: StateFixture,
  scheduleId: string,
  { to, ...advance }: Advance = {},
  details: Partial<TickItem> = {},
): Promise<TickItem> {
  const { revision, nextAt = 0 } = await scheduleOf(fixture, scheduleId);
  return {
    scheduleId,
    advance: {
      revision,
      nextAt,
      to: to === undefined ? undefined : fixture.now() + to,
      lastAt: nextAt,
      tzVersion: "2025b",
      ...advance,
    },
    starts: startsAt(nextAt),
    skipped: [],
    missed: 0,
    overlap: "allow",
    ...details,
  };
}

/** An item that fills gaps in the past of a schedule. */
export function gaps(scheduleId: string, ...moments: readonly number[]): TickItem {
  const starts = startsAt(...moments);
  return { scheduleId, advance: undefined, starts, skipped: [], missed: 0, overlap: "allow" };
}

export function startsAt(...moments: readonly number[]): TickItem["starts"] {
  return moments.map((at) => ({ at, start: job("a") }));
}

export async function tick(
  { store, options }: StateFixture,
  items: readonly TickItem[],
  tx?: unknown,
): Promise<readonly TickReply[]> {
  return await store.tick(items, options(tx));
}

/** Ticks a schedule once, which must succeed, and returns what became of its starts. */
export async function tickOnce(
  fixture: StateFixture,
  scheduleId: string,
  advance?: Advance,
  details?: Partial<TickItem>,
): Promise<readonly TickedStart[]> {
  return ticked(await tick(fixture, [await itemOf(fixture, scheduleId, advance, details)]));
}

export function ticked(replies: readonly TickReply[]): readonly TickedStart[] {
  const reply = only("one reply an item", replies);
  if (reply.status !== "ticked") throw failureOf("the tick is written", { wanted: "ticked", actual: reply });
  return reply.starts;
}

export function statusesOf(starts: readonly TickedStart[]): readonly string[] {
  return starts.map(({ status }) => status);
}

/** The id of the chain of a start. */
export function chainIdOf(start: TickedStart | undefined): string {
  if (start?.status !== "started") throw failureOf("the tick starts a chain", { wanted: "started", actual: start });
  return start.chain.id;
}

/** The ticks on record, the latest first. */
export function ticksOf(fixture: StateFixture, scheduleId: string): Promise<readonly TickRecord[]> {
  return fixture.store.listTicks({ scheduleIds: [scheduleId], before: undefined, limit: 1_000 }, fixture.options());
}
