import { checkInteger, checkKeys, checkText, invalid, show, type OptionKeys } from "../checks/check-options.ts";
import type { Engine } from "../engine/engine.ts";
import { ChainwrightError, isChainwrightError } from "../model/error.ts";
import type { ScheduleEvent } from "../model/schedule-event.ts";
import { noTicks, type ScheduleRecord, type ScheduleSettings } from "../model/recurring.ts";
import type { MissedPolicy, ScheduleDefinition, ScheduleOverride } from "../model/schedule-definition.ts";
import { declaredOf, definitionOf, overrideOf, ruleOfDefinition } from "./definition-of.ts";
import { tzVersion } from "../model/tz-version.ts";
import type { Refusal } from "../ports/reply.ts";
import type { ScheduleChange } from "../ports/schedule.ts";
import { retryConflicts } from "../timing/retry-conflicts.ts";
import type { RecurringSchedule } from "../types/recurring.ts";
import { refusalError } from "./refusal-error.ts";
import { changedParts, checkMissed, checkScheduleId, newDefinition, type ScheduleItem } from "./schedule-options.ts";
import { renewedTick } from "./renewed-tick.ts";
import { scheduleView } from "./schedule-view.ts";
import { prepareTicks, tickEvents } from "./write-ticks.ts";
import { runTransaction } from "./transaction.ts";

export interface BySchedule {
  readonly id: string;
  readonly tx?: unknown;
}

export interface ChangeSchedule extends BySchedule {
  readonly ifRevision?: number | undefined;
}

const byIdKeys = { id: true, tx: true } satisfies Record<keyof BySchedule, true>;
const changeKeys = { ...byIdKeys, ifRevision: true } satisfies OptionKeys;
const pauseKeys = { ...changeKeys, reason: true } satisfies OptionKeys;
const resumeKeys = { ...changeKeys, missed: true } satisfies OptionKeys;

/** A schedule changes with each edit of others; more edits than this at the same time are a mistake. */
const mostTries = 20;
const longestReason = 2_000;

/** Creates a schedule. */
export async function createSchedule(
  engine: Engine,
  { tx, ...item }: ScheduleItem & BySchedule,
): Promise<RecurringSchedule> {
  const id = checkScheduleId(item.id);
  const { now } = await engine.state.dueSchedules(0, engine.callOptions(tx));
  const definition = await newDefinition(engine, item, { now, what: "createSchedule" });
  const to = await settingsOf(engine, { owner: undefined, declared: definition, override: {}, now });
  if (to.nextAt === undefined) throw neverTicks(id);
  await changeAll(engine, [{ id, from: undefined, to }], { tx, change: "created" });
  return scheduleView(newRecord(id, to, now));
}

/** Changes parts of a schedule at run time. */
export async function updateSchedule(
  engine: Engine,
  item: Partial<ScheduleItem> & ChangeSchedule,
): Promise<RecurringSchedule> {
  const { tx, ...parts } = item;
  return await changeOne(engine, item, { change: "updated", tx }, async (record, now) => {
    const override = await changedParts(engine, parts, { now, present: definitionOf(record) });
    return { override: { ...overrideOf(record), ...override } };
  });
}

/** Drops what was changed at run time. */
export async function resetSchedule(engine: Engine, options: ChangeSchedule): Promise<RecurringSchedule> {
  checkKeys(options, changeKeys, "resetSchedule");
  return await changeOne(engine, options, { change: "updated", tx: options.tx }, async () => ({ override: {} }));
}

export async function pauseSchedule(
  engine: Engine,
  options: ChangeSchedule & { readonly reason?: string | undefined },
): Promise<RecurringSchedule> {
  checkKeys(options, pauseKeys, "pauseSchedule");
  const reason = options.reason === undefined ? undefined : checkText(options.reason, "reason", longestReason);
  return await changeOne(engine, options, { change: "paused", reason, tx: options.tx }, async (record) => ({
    override: { ...overrideOf(record), paused: true },
    others: { pausedReason: reason, nextAt: record.nextAt, tzVersion: record.tzVersion },
  }));
}

/** Ends a pause, and deals with the ticks of the meantime. */
export async function resumeSchedule(
  engine: Engine,
  options: ChangeSchedule & { readonly missed?: MissedPolicy | undefined },
): Promise<RecurringSchedule> {
  checkKeys(options, resumeKeys, "resumeSchedule");
  const missed = options.missed === undefined ? undefined : checkMissed(options.missed);
  const resume = async (tx: unknown): Promise<RecurringSchedule> => {
    const resumed = await changeOne(engine, options, { change: "resumed", tx }, async (record) => {
      const { paused: _, ...others } = overrideOf(record);
      const override = declaredOf(record).paused ? { ...others, paused: false } : others;
      // The last change before is the pause, or an edit in the pause that has computed the next tick: either way it came after that.
      const renewed = renewedTick(await engine.recurrences(), record, record.updatedAt);
      return { override, others: { nextAt: record.nextAt, tzVersion: record.tzVersion, ...renewed } };
    });
    return missed === undefined ? resumed : await catchUp(engine, options.id, missed, tx);
  };
  // With a policy of its own, the ticks of the pause are written together with its end.
  if (missed === undefined || options.tx !== undefined) return await resume(options.tx);
  return await retryConflicts(engine.state, engine.clock, () => runTransaction(engine, resume));
}

/** Writes the ticks that are due by a policy. */
async function catchUp(engine: Engine, id: string, missed: MissedPolicy, tx: unknown): Promise<RecurringSchedule> {
  const { record, now } = await readSchedule(engine, id, tx);
  if (record.nextAt !== undefined && record.nextAt <= now) {
    const prepared = await prepareTicks(engine, record, { now, missed });
    if ("error" in prepared) throw prepared.error;
    const [reply] = await engine.state.tick([prepared.item], engine.callOptions(tx));
    if (reply !== undefined) engine.events.record(tickEvents(prepared, reply, now), tx);
  }
  return scheduleView((await readSchedule(engine, id, tx)).record);
}

export async function deleteSchedule(engine: Engine, options: ChangeSchedule): Promise<void> {
  checkKeys(options, changeKeys, "deleteSchedule");
  await changeOne(engine, options, { change: "deleted", tx: options.tx }, async () => undefined);
}

/** A schedule, and the store's time. */
export async function readSchedule(
  { state, callOptions }: Pick<Engine, "state" | "callOptions">,
  id: string,
  tx: unknown,
): Promise<{ readonly record: ScheduleRecord; readonly now: number }> {
  const query = { ids: [id], after: undefined, limit: 1, order: "ascending" } as const;
  const { now, schedules } = await state.listSchedules(query, callOptions(tx));
  const [record] = schedules;
  if (record === undefined) throw refusalError({ code: "schedule-not-found", id });
  return { record, now };
}

interface Edit {
  readonly override: ScheduleOverride;
  /** What is not computed from that. */
  readonly others?: Partial<ScheduleSettings> | undefined;
}

/** Changes a schedule from the state in which it was read, and again if a tick or another change came between. */
async function changeOne(
  engine: Engine,
  { id: given, ifRevision }: ChangeSchedule,
  kind: ChangeKind,
  edit: (record: ScheduleRecord, now: number) => Promise<Edit | undefined>,
): Promise<RecurringSchedule> {
  const id = checkScheduleId(given);
  if (ifRevision !== undefined) checkInteger(ifRevision, "ifRevision", { min: 1, max: Number.MAX_SAFE_INTEGER });
  for (let tries = 1; ; tries += 1) {
    const { record, now } = await readSchedule(engine, id, kind.tx);
    const { revision, nextAt } = record;
    if (ifRevision !== undefined && ifRevision !== revision)
      throw refusalError({ code: "schedule-changed", id, actual: String(revision) });
    const edited = await edit(record, now);
    const to = edited === undefined ? undefined : await editedSettings(engine, record, edited, now);
    try {
      await changeAll(engine, [{ id, from: { revision, nextAt }, to }], kind);
      return scheduleView({ ...record, ...to, revision: revision + 1, updatedAt: now });
    } catch (error) {
      if (tries >= mostTries || !isChainwrightError(error, "schedule-changed")) throw error;
    }
  }
}

async function editedSettings(
  engine: Engine,
  record: ScheduleRecord,
  { override, others }: Edit,
  now: number,
): Promise<ScheduleSettings> {
  const { owner } = record;
  const to = await settingsOf(engine, { owner, declared: declaredOf(record), override, now, record });
  return { ...to, ...others };
}

interface Wanted {
  readonly owner: string | undefined;
  readonly declared: ScheduleDefinition;
  readonly override: ScheduleOverride;
  readonly now: number;
  /** The schedule before. */
  readonly record?: ScheduleRecord | undefined;
}

/** What is written for a schedule. Its next tick is computed from now on, unless the rule stays. */
export async function settingsOf(
  engine: Engine,
  { owner, declared, override, now, record }: Wanted,
): Promise<ScheduleSettings> {
  const definition = { ...declared, ...override };
  const rule = ruleOfDefinition(definition);
  const keepsRule =
    record !== undefined && JSON.stringify(ruleOfDefinition(definitionOf(record))) === JSON.stringify(rule);
  const recurrence = (await engine.recurrences()).of(rule);
  return {
    owner,
    typeName: definition.typeName,
    declared: JSON.stringify(declared),
    override: Object.keys(override).length === 0 ? undefined : JSON.stringify(override),
    pausedAt: definition.paused ? (record?.pausedAt ?? now) : undefined,
    pausedReason: definition.paused ? record?.pausedReason : undefined,
    nextAt: keepsRule ? record.nextAt : recurrence.next(now)?.at,
    tzVersion: keepsRule ? record.tzVersion : tzVersion(),
  };
}

interface ChangeKind {
  readonly change: Extract<ScheduleEvent, { readonly type: "schedules-changed" }>["change"];
  readonly reason?: string | undefined;
  readonly tx: unknown;
}

/** Writes changes, and announces them. */
export async function changeAll(
  engine: Engine,
  changes: readonly ScheduleChange[],
  { change, reason, tx }: ChangeKind,
): Promise<void> {
  if (changes.length === 0) return;
  const { state, clock, callOptions } = engine;
  const call = () => state.changeSchedules(changes, callOptions(tx));
  const reply = await (tx === undefined ? retryConflicts(state, clock, call) : call());
  if (!reply.ok) throw changeError(reply.refusal);
  const scheduleIds = changes.map(({ id }) => id);
  engine.events.record([{ type: "schedules-changed", change, scheduleIds, reason }], tx);
}

function changeError(refusal: Refusal): ChainwrightError {
  if (refusal.code !== "duplicate-id") return refusalError(refusal);
  const { id } = refusal;
  return new ChainwrightError(
    "duplicate-id",
    `id must be unused; there is a schedule "${id}" already. Change it with updateSchedule, or declare it with applySchedules.`,
    { details: { id } },
  );
}

function newRecord(id: string, to: ScheduleSettings, now: number): ScheduleRecord {
  return { ...noTicks, ...to, id, revision: 1, createdAt: now, updatedAt: now };
}

export function neverTicks(id: string): ChainwrightError {
  return invalid(
    `schedule ${show(id)} must have a tick in the future; all of its ticks are in the past. Correct its year, startAt or endAt.`,
  );
}
