import type { BlockerStart, JobStart } from "../model/job-start.ts";
import type { OnBlockerFailure } from "../model/status.ts";
import type { PreparedJob } from "../ports/observer.ts";
import { checkId, checkKeys, checkSchedule, invalid, isList, show, type OptionKeys } from "../checks/check-options.ts";
import { checkTags } from "../checks/tags.ts";
import { captureContext } from "../engine/contexts.ts";
import type { Engine } from "../engine/engine.ts";
import { checkDeadline, prepareFollowUp, type CompensationItem } from "./prepare-follow-ups.ts";
import { prepareInput } from "./prepare-input.ts";
import { prepareStartSignals, type StartSignal } from "./signal-chains.ts";
import { checkStartKey, hasKey, type DebounceItem, type DeduplicationItem, type ThrottleItem } from "./start-key.ts";
import { poolOf, priorityOf } from "./step-fields.ts";
import { checkWait, type WaitOptions } from "./wait-options.ts";

/** A start or a continuation as a caller wrote it, its types erased. */
export interface StartItem extends WaitOptions {
  readonly typeName: string;
  readonly input: unknown;
  readonly id?: string | undefined;
  readonly schedule?: object | undefined;
  readonly priority?: number | undefined;
  readonly pool?: string | null | undefined;
  readonly deduplication?: DeduplicationItem | undefined;
  readonly debounce?: DebounceItem | undefined;
  readonly throttle?: ThrottleItem | undefined;
  readonly tags?: object | undefined;
  readonly blockers?: readonly BlockerItem[] | undefined;
  readonly onBlockerFailure?: OnBlockerFailure | undefined;
  readonly signals?: readonly StartSignal[] | undefined;
  /** Of a start: the type that runs if the chain stops. */
  readonly whenStopped?: string | undefined;
  /** Of a start: when the chain is cancelled. */
  readonly deadline?: object | undefined;
  /** Of a continuation: what undoes the step before it. */
  readonly compensate?: CompensationItem | undefined;
}

/** A chain that was started before, or a start written inline. */
export type BlockerItem = StartItem | { readonly id: string; readonly typeName: string; readonly status?: unknown };

const stepKeys = {
  typeName: true,
  input: true,
  schedule: true,
  priority: true,
  pool: true,
  blockers: true,
  onBlockerFailure: true,
  waitUntil: true,
  collect: true,
  topics: true,
} satisfies OptionKeys;
const continuationKeys = { ...stepKeys, compensate: true } satisfies OptionKeys;
const startKeys = {
  ...stepKeys,
  id: true,
  deduplication: true,
  debounce: true,
  throttle: true,
  tags: true,
  signals: true,
  whenStopped: true,
  deadline: true,
} satisfies Record<Exclude<keyof StartItem, "compensate">, true>;
/** The deepest nesting of starts written inline: a start that contains itself would never end. */
const deepest = 100;

/** Checks a start and converts it for the store. Nothing has been written when this throws. */
export async function prepareStart(engine: Engine, item: StartItem, depth = 0): Promise<JobStart> {
  if (depth > deepest) throw invalid(`blockers must be nested at most ${deepest} deep; start some of them before.`);
  checkKeys(item, startKeys, "a start");
  engine.types.assertEntry(item.typeName);
  const id = item.id === undefined ? engine.newId() : checkId(item.id, "id");
  const deduplication = hasKey(item) ? checkStartKey(item, depth > 0) : undefined;
  const tags = item.tags === undefined ? undefined : checkTags(item.tags);
  const none = { priority: 0, pool: undefined };
  const start = await prepareJob(engine, item, { ...none, id, operation: "start", deduplication, tags, depth });
  return withEnds(engine, item, await withSignals(engine, item, start));
}

async function withSignals(engine: Engine, item: StartItem, start: JobStart): Promise<JobStart> {
  if (item.signals === undefined && start.waits === undefined) return start;
  if (item.debounce !== undefined || item.throttle !== undefined)
    throw invalid("a start with signals or waitUntil takes neither debounce nor throttle; use deduplication.");
  const signals = item.signals === undefined ? undefined : await prepareStartSignals(engine, item.signals);
  return signals === undefined ? start : { ...start, signals };
}

/** Most chains have neither. */
function withEnds(engine: Engine, item: StartItem, start: JobStart): JobStart {
  const whenStopped = prepareFollowUp(engine, item, start);
  const deadline = checkDeadline(item.deadline);
  return whenStopped === undefined && deadline === undefined ? start : { ...start, whenStopped, deadline };
}

/** Checks a continuation; it inherits the priority and the pool that it does not set. */
export async function prepareContinuation(
  engine: Engine,
  item: StartItem,
  from: Pick<JobStart, "typeName" | "priority" | "pool">,
): Promise<JobStart> {
  checkKeys(item, continuationKeys, "a continuation");
  engine.types.assertContinuation(from.typeName, item.typeName);
  const id = engine.newId();
  const none = { deduplication: undefined, tags: undefined };
  const given = { ...none, id, operation: "continue", priority: from.priority, pool: from.pool, depth: 0 } as const;
  return await prepareJob(engine, item, given);
}

async function prepareJob(
  engine: Engine,
  item: StartItem,
  given: Pick<JobStart, "id" | "deduplication" | "tags" | "priority" | "pool"> &
    Pick<PreparedJob, "operation"> & { readonly depth: number },
): Promise<JobStart> {
  const prepared = prepareInput(engine, item.typeName, item.input);
  const { input, version, limits } = prepared instanceof Promise ? await prepared : prepared;
  const start: JobStart = {
    id: given.id,
    typeName: item.typeName,
    version,
    pool: poolOf(item, given.pool),
    input,
    priority: priorityOf(item, given.priority),
    schedule: item.schedule === undefined ? undefined : checkSchedule(item.schedule, "schedule"),
    blockers: item.blockers === undefined ? [] : await prepareBlockers(engine, item.blockers, given.depth),
    onBlockerFailure: checkOnBlockerFailure(item.onBlockerFailure),
    deduplication: given.deduplication,
    tags: given.tags,
    context: captureContext(engine.contexts, () => {
      return { jobId: given.id, typeName: item.typeName, operation: given.operation };
    }),
  };
  const waits = checkWait(engine, item);
  if (limits === undefined && waits === undefined) return start;
  return { ...start, ...(limits !== undefined && { limits }), ...(waits !== undefined && { waits }) };
}

async function prepareBlockers(
  engine: Engine,
  items: readonly BlockerItem[],
  depth: number,
): Promise<readonly BlockerStart[]> {
  if (!isList(items)) throw invalid(`blockers must be an array of chains or of starts; got ${show(items)}.`);
  const blockers: BlockerStart[] = [];
  for (const item of items) {
    if (isInline(item)) {
      blockers.push({ start: await prepareStart(engine, item, depth + 1) });
    } else {
      engine.types.assertEntry(item.typeName);
      blockers.push({ chainId: checkId(item.id, "a blocker's id"), typeName: item.typeName });
    }
  }
  return blockers;
}

/** A started chain has a status; a start written inline has an input and no status. */
function isInline(item: BlockerItem): item is StartItem {
  if (typeof item !== "object" || item === null)
    throw invalid(`a blocker must be a chain or a start; got ${show(item)}.`);
  return "input" in item && !("status" in item);
}

function checkOnBlockerFailure(value: OnBlockerFailure = "fail"): OnBlockerFailure {
  if (value === "fail" || value === "wait") return value;
  throw invalid(`onBlockerFailure must be "fail" or "wait"; got ${show(value)}.`);
}
