import {
  checkBytes,
  checkDuration,
  checkInteger,
  checkKeys,
  checkPool,
  invalid,
  show,
  type OptionKeys,
} from "../checks/check-options.ts";
import { ruleOfDefinition } from "./definition-of.ts";
import type { Engine } from "../engine/engine.ts";
import type { MissedPolicy, ScheduleDefinition, ScheduleOverride } from "../model/schedule-definition.ts";
import type { ScheduleTimes } from "../model/schedule-times.ts";
import { ruleOf } from "../schedules/rule.ts";
import { prepareFollowUp } from "./prepare-follow-ups.ts";
import { prepareInput } from "./prepare-input.ts";

/** What decides how a schedule ticks, as a caller wrote it, its types erased. */
export interface ScheduleItem extends ScheduleTimes {
  readonly typeName: string;
  readonly input: unknown;
  readonly missed?: MissedPolicy | undefined;
  readonly maxMissed?: number | undefined;
  readonly overlap?: "allow" | "skip" | undefined;
  readonly jitterMs?: number | undefined;
  readonly priority?: number | undefined;
  readonly pool?: string | null | undefined;
  readonly paused?: boolean | undefined;
  readonly whenStopped?: string | undefined;
}

const itemKeys = {
  typeName: true,
  input: true,
  cron: true,
  timeZone: true,
  everyMs: true,
  from: true,
  startAt: true,
  endAt: true,
  missed: true,
  maxMissed: true,
  overlap: true,
  jitterMs: true,
  priority: true,
  pool: true,
  paused: true,
  whenStopped: true,
} satisfies Record<keyof ScheduleItem, true>;

const createKeys = { ...itemKeys, id: true, tx: true } satisfies OptionKeys;
const declareKeys = { ...itemKeys, id: true } satisfies OptionKeys;
const { paused: _, ...updatedKeys } = itemKeys;
const updateKeys = { ...updatedKeys, id: true, ifRevision: true, tx: true } satisfies OptionKeys;
const longestJitterMs = 24 * 3_600_000;
const priorityRange = { min: -32_768, max: 32_767 };

const defaults = {
  startAt: null,
  endAt: null,
  missed: "one",
  maxMissed: 100,
  overlap: "allow",
  jitterMs: 0,
  priority: 0,
  pool: null,
  paused: false,
} as const;

export function checkScheduleId(id: unknown): string {
  return checkBytes(id, "id", 500);
}

/** Checks a new schedule. `now`: the first tick of an interval is counted from there. */
export async function newDefinition(
  engine: Engine,
  item: ScheduleItem,
  { now, what }: { readonly now: number; readonly what: "createSchedule" | "a schedule" },
): Promise<ScheduleDefinition> {
  checkKeys(item, what === "createSchedule" ? createKeys : declareKeys, what);
  const input = await checkedInput(engine, item);
  const whenStopped = checkedFollowUp(engine, item);
  const definition = {
    ...defaults,
    ...input,
    ...ruleParts(item, now),
    ...policies(item),
    ...(whenStopped !== undefined && { whenStopped }),
  };
  await checkTicks(engine, definition);
  return definition;
}

/** Checks a change: only what it names. */
export async function changedParts(
  engine: Engine,
  item: Partial<ScheduleItem> & { readonly typeName?: string | undefined },
  { now, present }: { readonly now: number; readonly present: ScheduleDefinition },
): Promise<ScheduleOverride> {
  checkKeys(item, updateKeys, "updateSchedule");
  const hasInput = "input" in item && item.input !== undefined;
  if (hasInput !== (item.typeName !== undefined))
    throw invalid("updateSchedule must have both typeName and input, or none of them.");
  const { typeName = "" } = item;
  const input = hasInput ? await checkedInput(engine, { ...item, typeName, input: item.input }) : {};
  if (!hasInput && item.whenStopped !== undefined)
    throw invalid("updateSchedule with whenStopped must have the typeName and the input whose chains it follows.");
  const whenStopped = hasInput ? checkedFollowUp(engine, { typeName, whenStopped: item.whenStopped }) : undefined;
  const follows = hasInput && (whenStopped ?? null) !== (present.whenStopped ?? null);
  const given = withPresentRule(item, present);
  const { rule, ...bounds } = given === undefined ? { rule: undefined } : ruleParts(given, now);
  const parts: ScheduleOverride = {
    ...input,
    ...(rule && { rule }),
    ...bounds,
    ...policies(item),
    ...(follows && { whenStopped: whenStopped ?? null }),
  };
  await checkTicks(engine, { ...present, ...parts });
  const changed = Object.entries(parts).filter(([name, value]) => {
    return JSON.stringify(value) !== JSON.stringify(Reflect.get(present, name));
  });
  return Object.fromEntries(changed);
}

/** A change of the zone alone keeps the pattern. Undefined: the change says nothing about time. */
function withPresentRule(item: ScheduleTimes, { rule, startAt, endAt }: ScheduleDefinition): ScheduleTimes | undefined {
  const { cron, everyMs, timeZone, from } = item;
  const names = [cron, everyMs, timeZone, from, item.startAt, item.endAt];
  if (names.every((value) => value === undefined)) return undefined;
  const bounds = {
    startAt: item.startAt ?? (startAt === null ? undefined : new Date(startAt)),
    endAt: item.endAt ?? (endAt === null ? undefined : new Date(endAt)),
  };
  if (cron !== undefined && everyMs !== undefined) return item;
  if (cron !== undefined || (everyMs === undefined && "cron" in rule)) {
    const before = "cron" in rule ? rule : undefined;
    return { ...bounds, cron: cron ?? before?.cron, timeZone: timeZone ?? before?.timeZone, from };
  }
  const before = "everyMs" in rule ? rule : undefined;
  const first = from ?? (before === undefined ? undefined : new Date(before.from));
  return { ...bounds, everyMs: everyMs ?? before?.everyMs, from: first, timeZone };
}

function ruleParts(item: ScheduleTimes, now: number): Pick<ScheduleDefinition, "rule" | "startAt" | "endAt"> {
  const { startAt = null, endAt = null, ...rule } = ruleOf(item, now);
  return { rule, startAt, endAt };
}

async function checkedInput(
  engine: Engine,
  { typeName, input }: Pick<ScheduleItem, "typeName" | "input">,
): Promise<Pick<ScheduleDefinition, "typeName" | "input" | "version">> {
  engine.types.assertSchedulable(typeName);
  const prepared = await prepareInput(engine, typeName, input);
  return { typeName, input: prepared.input, version: prepared.version ?? 1 };
}

/** The type that runs if a chain of the schedule stops. With schemas it may be left out. */
function checkedFollowUp(
  engine: Engine,
  item: { readonly typeName: string; readonly whenStopped?: string | undefined },
): string | undefined {
  prepareFollowUp(engine, item, { priority: 0, pool: undefined });
  return item.whenStopped;
}

function policies(item: Partial<ScheduleItem>): ScheduleOverride {
  const { missed, maxMissed, overlap, jitterMs, priority, pool, paused } = item;
  return {
    ...(missed !== undefined && { missed: checkMissed(missed) }),
    ...(maxMissed !== undefined && { maxMissed: checkInteger(maxMissed, "maxMissed", { min: 1, max: 1_000 }) }),
    ...(overlap !== undefined && { overlap: checkOverlap(overlap) }),
    ...(jitterMs !== undefined && { jitterMs: checkDuration(jitterMs, "jitterMs", 0, longestJitterMs) }),
    ...(priority !== undefined && { priority: checkInteger(priority, "priority", priorityRange) }),
    ...(pool !== undefined && { pool: pool === null ? null : checkPool(pool) }),
    ...(paused !== undefined && { paused: checkPaused(paused) }),
  };
}

export function checkMissed(missed: unknown): MissedPolicy {
  if (missed === "skip" || missed === "one" || missed === "all") return missed;
  throw invalid(`missed must be "skip", "one" or "all"; got ${show(missed)}.`);
}

function checkOverlap(overlap: unknown): "allow" | "skip" {
  if (overlap === "allow" || overlap === "skip") return overlap;
  throw invalid(`overlap must be "allow" or "skip"; got ${show(overlap)}.`);
}

function checkPaused(paused: unknown): boolean {
  if (typeof paused === "boolean") return paused;
  throw invalid(`paused must be true or false; got ${show(paused)}.`);
}

/** Refuses patterns and zones that cannot be read, and schedules that never tick. */
async function checkTicks(engine: Engine, definition: ScheduleDefinition): Promise<void> {
  const recurrences = await engine.recurrences();
  recurrences.of(ruleOfDefinition(definition));
}
