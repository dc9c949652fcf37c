import { checkKeys, checkText, invalid, isList, show } from "../checks/check-options.ts";
import type { Engine } from "../engine/engine.ts";
import type { ScheduleRecord } from "../model/recurring.ts";
import type { ScheduleDefinition } from "../model/schedule-definition.ts";
import { declaredOf, overrideOf } from "./definition-of.ts";
import type { ScheduleChange } from "../ports/schedule.ts";
import { changeAll, neverTicks, settingsOf } from "./change-schedules.ts";
import { isChainwrightError } from "../model/error.ts";
import { schedulePages } from "./schedule-pages.ts";
import { checkScheduleId, newDefinition, type ScheduleItem } from "./schedule-options.ts";

export interface ApplySchedules {
  readonly owner: string;
  readonly schedules: readonly (ScheduleItem & { readonly id: string })[];
  readonly tx?: unknown;
}

export interface AppliedSchedules {
  readonly created: readonly string[];
  readonly updated: readonly string[];
  readonly deleted: readonly string[];
}

const applyKeys = { owner: true, schedules: true, tx: true } satisfies Record<keyof ApplySchedules, true>;
const longestOwner = 200;
const mostTries = 20;
/** A tick or another process was faster: it changed, created or deleted one of the schedules after they were read. */
const cameBetween = ["schedule-changed", "duplicate-id", "schedule-not-found"] as const;

/** Makes the schedules of an owner those that are declared. All changes are one call. */
export async function applySchedules(engine: Engine, options: ApplySchedules): Promise<AppliedSchedules> {
  checkKeys(options, applyKeys, "applySchedules");
  const owner = checkText(options.owner, "owner", longestOwner);
  if (owner === "") throw invalid('owner must be a string of 1 to 200 characters; got "".');
  const { schedules, tx } = options;
  if (!isList(schedules)) throw invalid(`schedules must be an array; got ${show(schedules)}.`);
  const ids = schedules.map(({ id }) => checkScheduleId(id));
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) throw invalid(`schedules must have each id once; got ${show(twice)} twice.`);
  for (let tries = 1; ; tries += 1) {
    try {
      return await applyOnce(engine, { owner, schedules, tx });
    } catch (error) {
      if (tries >= mostTries || !cameBetween.some((code) => isChainwrightError(error, code))) throw error;
    }
  }
}

async function applyOnce(engine: Engine, { owner, schedules, tx }: ApplySchedules): Promise<AppliedSchedules> {
  const ids = schedules.map(({ id }) => id);
  const { now, records: owned } = await readAll(engine, { owner }, tx);
  const { records: named } = ids.length === 0 ? { records: [] } : await readAll(engine, { ids }, tx);
  const present = new Map(named.map((record) => [record.id, record]));
  const created: ScheduleChange[] = [];
  const updated: ScheduleChange[] = [];
  for (const item of schedules) {
    const record = present.get(item.id);
    if (record !== undefined && record.owner !== undefined && record.owner !== owner)
      throw invalid(
        `schedule "${item.id}" belongs to the owner "${record.owner}"; give it another id, or remove it there first.`,
      );
    const change = await changeFor(engine, item, { owner, record, now });
    if (change !== undefined) (record === undefined ? created : updated).push(change);
  }
  const deleted = owned
    .filter(({ id }) => !ids.includes(id))
    .map(({ id, revision, nextAt }) => ({ id, from: { revision, nextAt }, to: undefined }));
  const changes = [...created, ...updated, ...deleted];
  await changeAll(engine, changes, { tx, change: "updated" });
  const idsOf = (list: readonly ScheduleChange[]) => list.map(({ id }) => id);
  return { created: idsOf(created), updated: idsOf(updated), deleted: idsOf(deleted) };
}

/** Undefined: the schedule is declared as it is. */
async function changeFor(
  engine: Engine,
  item: ScheduleItem & { readonly id: string },
  { owner, record, now }: { readonly owner: string; readonly record: ScheduleRecord | undefined; readonly now: number },
): Promise<ScheduleChange | undefined> {
  const { id } = item;
  const before = record === undefined ? undefined : declaredOf(record);
  const given = await newDefinition(engine, item, { now, what: "a schedule" });
  const declared = withFirstTick(item, given, before);
  if (record?.owner === owner && JSON.stringify(declared) === record.declared) return undefined;
  const override = record === undefined ? {} : overrideOf(record);
  const to = await settingsOf(engine, { owner, declared, override, now, record });
  if (record === undefined && to.nextAt === undefined) throw neverTicks(id);
  const from = record === undefined ? undefined : { revision: record.revision, nextAt: record.nextAt };
  return { id, from, to };
}

/** An interval that names no first tick keeps the one that it has. */
function withFirstTick(
  { from }: ScheduleItem,
  definition: ScheduleDefinition,
  before: ScheduleDefinition | undefined,
): ScheduleDefinition {
  const { rule } = definition;
  if (from !== undefined || before === undefined || !("everyMs" in rule) || !("everyMs" in before.rule))
    return definition;
  return { ...definition, rule: { everyMs: rule.everyMs, from: before.rule.from } };
}

async function readAll(
  engine: Engine,
  filter: { readonly owner?: string; readonly ids?: readonly string[] },
  tx: unknown,
): Promise<{ readonly now: number; readonly records: readonly ScheduleRecord[] }> {
  const records: ScheduleRecord[] = [];
  let last = 0;
  for await (const { now, schedules } of schedulePages(engine, filter, tx)) {
    records.push(...schedules);
    last = now;
  }
  return { now: last, records };
}
