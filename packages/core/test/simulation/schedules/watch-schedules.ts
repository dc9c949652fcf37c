import type { ScheduleDefinition } from "../../../src/model/schedule-definition.ts";
import type { ScheduleChange, TickItem, TickReply } from "../../../src/ports/schedule.ts";
import type { StateAdapter } from "../../../src/ports/state.ts";
import { readTick } from "../../../src/operations/tick-context.ts";
import { definitionOf, instantsOf, nextAfter, ticksOf, turningPoints, type ModelSchedule } from "./schedule-model.ts";

/** An edit is computed from one of the latest times that the store has reported: it may be late, and the clock may jump meanwhile. */
const mostReads = 100;

/** What has been written, by the calls and replies of a store. */
export interface WatchedSchedules {
  readonly schedules: Map<string, ModelSchedule>;
  /** The chains of ticks, by schedule and instant. */
  readonly chains: Map<string, string>;
  /** What happened how often. */
  readonly counts: Map<string, number>;
  readonly violations: string[];
  /** The times that the store has reported. */
  readonly reads: number[];
  /** The latest time of the store: its clock may be set back. */
  latest: number;
}

/**
 * Notes as violations what B1, B2, B5 and B6 forbid, by the calls and replies of a store that does what a call asks before the call
 * returns. What a transaction writes counts once it has committed.
 */
export function watchSchedules(
  store: StateAdapter,
  now: () => number,
  violations: string[],
): { readonly store: StateAdapter; readonly watched: WatchedSchedules } {
  const watched: WatchedSchedules = {
    schedules: new Map(),
    chains: new Map(),
    counts: new Map(),
    violations,
    reads: [],
    latest: now(),
  };
  const later = new Map<unknown, (() => void)[]>();
  const after = (tx: unknown, apply: () => void) => {
    watched.latest = Math.max(watched.latest, now());
    const open = later.get(tx);
    if (open === undefined) apply();
    else open.push(apply);
  };
  const watching: StateAdapter = {
    ...store,
    async listSchedules(query, options) {
      const reply = await store.listSchedules(query, options);
      watched.reads.push(reply.now);
      return reply;
    },
    async dueSchedules(limit, options) {
      const reply = await store.dueSchedules(limit, options);
      watched.reads.push(reply.now);
      return reply;
    },
    async changeSchedules(changes, options) {
      const reply = await store.changeSchedules(changes, options);
      if (reply.ok) after(options.tx, () => changes.forEach((change) => changed(watched, change)));
      return reply;
    },
    async tick(items, options) {
      const replies = await store.tick(items, options);
      const isResume = options.tx !== undefined;
      after(options.tx, () => items.forEach((item, n) => ticked(watched, { item, reply: replies[n], isResume })));
      return replies;
    },
    async transaction(run, options) {
      const written: (() => void)[] = [];
      const value = await store.transaction(async (tx) => {
        later.set(tx, written);
        return await run(tx);
      }, options);
      for (const apply of written) apply();
      return value;
    },
  };
  return { store: watching, watched };
}

/** B6: the rule of an edit counts from the edit on, and an edit of something else moves no tick. */
function changed({ schedules, violations, reads }: WatchedSchedules, { id, to }: ScheduleChange): void {
  const before = schedules.get(id);
  if (to === undefined) {
    schedules.delete(id);
    return;
  }
  const definition = definitionOf(to);
  const { nextAt } = to;
  const keepsRule = before !== undefined && ruleText(before.definition) === ruleText(definition);
  if (keepsRule && nextAt !== before.nextAt)
    violations.push(`B6: an edit of ${id} moved its next tick from ${before.nextAt} to ${nextAt}`);
  if (!keepsRule && !reads.slice(-mostReads).some((now) => nextAfter(definition, now) === nextAt))
    violations.push(`B6: an edit of ${id} made its next tick ${nextAt}`);
  schedules.set(id, {
    definition,
    isPaused: to.pausedAt !== undefined,
    nextAt,
    missedCount: before?.missedCount ?? 0,
  });
}

function ruleText({ rule }: ScheduleDefinition): string {
  return JSON.stringify(rule);
}

interface Ticked {
  readonly item: TickItem;
  readonly reply: TickReply | undefined;
  /** Resumes of the simulation deal with the ticks of the meantime by `skip`. */
  readonly isResume: boolean;
}

function ticked(watched: WatchedSchedules, { item, reply, isResume }: Ticked): void {
  if (reply?.status !== "ticked") return;
  const { violations, chains, schedules } = watched;
  const { scheduleId, starts, advance } = item;
  const schedule = schedules.get(scheduleId);
  if (schedule === undefined) {
    violations.push(`B2: ${scheduleId} ticked without being there`);
    return;
  }
  for (const [index, started] of reply.starts.entries()) {
    const planned = starts[index];
    if (planned === undefined) continue;
    const key = `${scheduleId} ${planned.at}`;
    count(watched, `${advance === undefined ? "backfill" : "tick"} ${started.status}`);
    if (started.status === "overlap" && schedule.definition.overlap !== "skip")
      violations.push(`B2: ${key} was left out, although its schedule allows overlaps`);
    if (started.status !== "started") continue;
    const before = chains.get(key);
    if (before !== undefined) violations.push(`B1: ${key} started ${before} and ${started.chain.id}`);
    chains.set(key, started.chain.id);
  }
  if (advance !== undefined) advanced(watched, { item, advance, schedule, isResume });
}

interface Advanced {
  readonly item: TickItem;
  readonly advance: NonNullable<TickItem["advance"]>;
  readonly schedule: ModelSchedule;
  readonly isResume: boolean;
}

/** B2: an advance leaves out no instant; B5: what is late is dealt with by the policy; B6: with the latest edit. */
function advanced(watched: WatchedSchedules, { item, advance, schedule, isResume }: Advanced): void {
  const { violations, latest } = watched;
  const { definition } = schedule;
  const { scheduleId: id, starts, missed } = item;
  const { nextAt: first, lastAt, to } = advance;
  if (schedule.isPaused) violations.push(`B6: ${id} ticked while it was paused`);
  if (first !== schedule.nextAt) violations.push(`B2: ${id} ticked from ${first}, not from ${schedule.nextAt}`);
  if (to === undefined || to !== nextAfter(definition, lastAt) || lastAt > latest)
    violations.push(`B2: ${id} advanced over ${lastAt} to ${to} at ${latest}`);
  if (starts.some(({ start }) => start.input !== definition.input))
    violations.push(`B6: ${id} ticked with an input from before an edit`);
  const instants = instantsOf(definition, first, lastAt);
  const policy = { missed: isResume ? ("skip" as const) : definition.missed, maxMissed: definition.maxMissed };
  const actual = JSON.stringify({ starts: starts.map(({ at }) => at), missed });
  const times = turningPoints(instants, lastAt, Math.min((to ?? Infinity) - 1, latest));
  if (!times.some((time) => JSON.stringify(ticksOf(policy, instants, time)) === actual))
    violations.push(`B5: ${id} with ${policy.missed} made ${actual} of ${instants.length} ticks from ${first}`);
  const told = starts.reduce((sum, { start }) => sum + (readTick(start.context ?? "")?.missed ?? 0), 0);
  if (starts.length > 0 && told !== missed) violations.push(`B5: ${id} told its chains of ${told} of ${missed} ticks`);
  schedule.nextAt = to;
  schedule.missedCount += missed;
  if (missed > 0) count(watched, `missed ${policy.missed}`);
}

function count({ counts }: WatchedSchedules, what: string): void {
  counts.set(what, (counts.get(what) ?? 0) + 1);
}
