import type { BlockerStart, Deduplication, JobStart } from "../model/job-start.ts";
import type { OnBlockerFailure } from "../model/status.ts";
import type { PreparedJob } from "../ports/observer.ts";
import {
  checkDuration,
  checkId,
  checkInteger,
  checkKeys,
  checkName,
  checkPool,
  checkSchedule,
  invalid,
  isList,
  show,
} from "../checks/check-options.ts";
import { checkTags } from "../checks/tags.ts";
import { captureContext } from "../engine/contexts.ts";
import type { Engine } from "../engine/engine.ts";
import { prepareInput } from "./prepare-input.ts";
import { storedKey } from "./stored-key.ts";

/** A start or a continuation as a caller wrote it, its types erased. */
export interface StartItem {
  readonly typeName: string;
  readonly input: unknown;
  readonly id?: string | undefined;
  readonly schedule?: object | undefined;
  readonly priority?: number | undefined;
  readonly pool?: string | null | undefined;
  readonly deduplication?: DeduplicationItem | undefined;
  readonly tags?: object | undefined;
  readonly blockers?: readonly BlockerItem[] | undefined;
  readonly onBlockerFailure?: OnBlockerFailure | undefined;
}

/** A chain that was started before, or a start written inline. */
export type BlockerItem = StartItem | { readonly id: string; readonly typeName: string; readonly status?: unknown };

interface DeduplicationItem {
  readonly key: string;
  readonly scope?: Deduplication["scope"] | undefined;
  readonly windowMs?: number | undefined;
}

const continuationKeys = {
  typeName: true,
  input: true,
  schedule: true,
  priority: true,
  pool: true,
  blockers: true,
  onBlockerFailure: true,
} satisfies Record<Exclude<keyof StartItem, "id" | "deduplication" | "tags">, true>;
const startKeys = { ...continuationKeys, id: true, deduplication: true, tags: true } satisfies Record<
  keyof StartItem,
  true
>;
const deduplicationKeys = { key: true, scope: true, windowMs: true } satisfies Record<keyof DeduplicationItem, true>;
const priorityRange = { min: -32_768, max: 32_767 };
/** The deepest nesting of starts written inline: a start that contains itself would never end. */
const deepest = 100;

/** Checks a start and converts it for the store. Nothing has been written when this throws. */
export async function prepareStart(engine: Engine, item: StartItem, depth = 0): Promise<JobStart> {
  if (depth > deepest) throw invalid(`blockers must be nested at most ${deepest} deep; start some of them before.`);
  checkKeys(item, startKeys, "a start");
  engine.types.assertEntry(item.typeName);
  const id = item.id === undefined ? engine.newId() : checkId(item.id, "id");
  const deduplication =
    item.deduplication === undefined ? undefined : checkDeduplication(item.typeName, item.deduplication);
  const tags = item.tags === undefined ? undefined : checkTags(item.tags);
  return await prepareJob(engine, item, {
    id,
    operation: "start",
    deduplication,
    tags,
    priority: 0,
    pool: undefined,
    depth,
  });
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
  const { input, version } = prepared instanceof Promise ? await prepared : prepared;
  return {
    id: given.id,
    typeName: item.typeName,
    version,
    pool: item.pool === undefined ? given.pool : checkPoolOrNone(item.pool),
    input,
    priority: item.priority === undefined ? given.priority : checkInteger(item.priority, "priority", priorityRange),
    schedule: item.schedule === undefined ? undefined : checkSchedule(item.schedule, "schedule"),
    blockers: item.blockers === undefined ? [] : await prepareBlockers(engine, item.blockers, given.depth),
    onBlockerFailure: checkOnBlockerFailure(item.onBlockerFailure),
    deduplication: given.deduplication,
    tags: given.tags,
    context: captureContext(engine.contexts, { jobId: given.id, typeName: item.typeName, operation: given.operation }),
  };
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

function checkDeduplication(typeName: string, item: DeduplicationItem): Deduplication {
  checkKeys(item, deduplicationKeys, "deduplication");
  const { scope = "active", windowMs } = item;
  if (scope !== "active" && scope !== "any")
    throw invalid(`deduplication.scope must be "active" or "any"; got ${show(scope)}.`);
  const key = checkName(item.key, "deduplication.key");
  return {
    key: storedKey(typeName, key),
    scope,
    windowMs: windowMs === undefined ? undefined : checkDuration(windowMs, "deduplication.windowMs", 1),
  };
}

function checkPoolOrNone(pool: unknown): string | undefined {
  return pool === null ? undefined : checkPool(pool);
}

function checkOnBlockerFailure(value: OnBlockerFailure = "fail"): OnBlockerFailure {
  if (value === "fail" || value === "wait") return value;
  throw invalid(`onBlockerFailure must be "fail" or "wait"; got ${show(value)}.`);
}
