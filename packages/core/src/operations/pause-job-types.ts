import {
  checkDuration,
  checkKeys,
  checkText,
  invalid,
  isList,
  show,
  type OptionKeys,
} from "../checks/check-options.ts";
import type { Engine, StoreAccess } from "../engine/engine.ts";
import type { PausedType, PauseRequest } from "../ports/pause.ts";
import { retryConflicts } from "../timing/retry-conflicts.ts";
import type { InTransaction } from "../types/list-options.ts";
import type { View } from "./views.ts";
import { dateOf } from "./date-of.ts";

export interface TypeNames extends InTransaction<unknown> {
  readonly typeNames: readonly string[];
}

export interface PauseJobTypesOptions extends TypeNames {
  readonly reason?: string | undefined;
  readonly by?: string | undefined;
  readonly forMs?: number | undefined;
}

const listKeys = { tx: true } satisfies Record<keyof InTransaction<unknown>, true>;
const resumeKeys = { ...listKeys, typeNames: true } satisfies Record<keyof TypeNames, true>;
const pauseKeys = { ...resumeKeys, reason: true, by: true, forMs: true } satisfies Record<
  keyof PauseJobTypesOptions,
  true
>;
const longestReason = 2_000;
const longestBy = 200;

/** Pauses job types, for all workers. */
export async function pauseJobTypes(engine: Engine, options: PauseJobTypesOptions): Promise<void> {
  const typeNames = checkTypeNames(engine, options, pauseKeys, "pauseJobTypes");
  const reason = options.reason === undefined ? undefined : checkText(options.reason, "reason", longestReason);
  const by = options.by === undefined ? undefined : checkText(options.by, "by", longestBy);
  const forMs = options.forMs === undefined ? undefined : checkDuration(options.forMs, "forMs", 1);
  const pauses = typeNames.map((typeName) => ({ typeName, reason, by, forMs }));
  await setPauses(engine, { pauses, resume: [] }, options.tx);
  engine.events.record([{ type: "types-paused", typeNames, reason, by, forMs }], options.tx);
}

/** Ends pauses. Workers look also for types that were not paused, because they may have heard of an earlier pause. */
export async function resumeJobTypes(engine: Engine, options: TypeNames): Promise<void> {
  const typeNames = checkTypeNames(engine, options, resumeKeys, "resumeJobTypes");
  await setPauses(engine, { pauses: [], resume: typeNames }, options.tx);
  engine.events.record([{ type: "types-resumed", typeNames }], options.tx);
}

export async function listPausedTypes(
  store: StoreAccess,
  options: InTransaction<unknown> = {},
): Promise<readonly View[]> {
  checkKeys(options, listKeys, "listPausedTypes");
  const paused = await store.state.listPauses(store.callOptions(options.tx));
  return paused.map(({ typeName, reason, by, pausedAt, until }) => {
    return { typeName, reason, by, pausedAt: new Date(pausedAt), until: dateOf(until) };
  });
}

/** The pause of one type, as `explainJob` returns it. */
export function pauseView({ reason, until, by }: PausedType) {
  return { reason, until: dateOf(until), by };
}

/** The names of types that the client declares, each once. */
export function checkTypeNames(
  { types }: Engine,
  options: { readonly typeNames: readonly string[] },
  keys: OptionKeys,
  what: string,
): readonly string[] {
  checkKeys(options, keys, what);
  const { typeNames } = options;
  if (!isList(typeNames) || typeNames.length === 0)
    throw invalid(`typeNames must be an array with the name of at least one job type; got ${show(typeNames)}.`);
  for (const typeName of typeNames) types.assertKnown(typeName);
  return [...new Set(typeNames)];
}

async function setPauses({ state, clock, callOptions }: Engine, request: PauseRequest, tx: unknown): Promise<void> {
  const call = () => state.setPauses(request, callOptions(tx));
  await (tx === undefined ? retryConflicts(state, clock, call) : call());
}
