import { checkDuration, checkKeys, invalid, show, type OptionKeys } from "../checks/check-options.ts";
import { checkLimitKey, checkLimitName } from "../checks/limit-registry.ts";
import type { Engine } from "../engine/engine.ts";
import { ChainwrightError } from "../model/error.ts";
import type { LimitChange } from "../ports/limit.ts";
import { retryConflicts } from "../timing/retry-conflicts.ts";
import { checkRule } from "../types/check-limits.ts";
import type { RateOptions } from "../types/limits.ts";
import type { InTransaction } from "../types/list-options.ts";

export interface NamedLimit extends InTransaction<unknown> {
  readonly limit: string;
  readonly key?: string | undefined;
}

export interface ChangeLimitOptions extends NamedLimit {
  readonly concurrency?: number | undefined;
  readonly rate?: RateOptions | undefined;
}

export interface PauseLimitOptions extends NamedLimit {
  readonly forMs?: number | undefined;
}

const namedKeys = { limit: true, key: true, tx: true } satisfies Record<keyof NamedLimit, true>;
const changeKeys = { ...namedKeys, concurrency: true, rate: true } satisfies Record<keyof ChangeLimitOptions, true>;
const pauseKeys = { ...namedKeys, forMs: true } satisfies Record<keyof PauseLimitOptions, true>;

export async function changeLimit(engine: Engine, options: ChangeLimitOptions): Promise<void> {
  const named = checkNamed(options, changeKeys, "changeLimit");
  const { concurrency, rate, tx } = options;
  if (concurrency === undefined && rate === undefined)
    throw invalid("changeLimit must have a concurrency or a rate; got neither. To take a change back, use resetLimit.");
  const rule = checkRule({ concurrency, rate }, "changeLimit");
  await assertDeclared(engine, named.limit, tx);
  await write(engine, { kind: "override", ...named, rule }, tx);
  engine.events.record([{ type: "limit-changed", ...named, ...rule }], tx);
}

export async function resetLimit(engine: Engine, options: NamedLimit): Promise<void> {
  const named = checkNamed(options, namedKeys, "resetLimit");
  await write(engine, { kind: "reset", ...named }, options.tx);
  engine.events.record([{ type: "limit-reset", ...named }], options.tx);
}

export async function pauseLimit(engine: Engine, options: PauseLimitOptions): Promise<void> {
  const named = checkNamed(options, pauseKeys, "pauseLimit");
  const forMs = options.forMs === undefined ? undefined : checkDuration(options.forMs, "forMs", 1);
  await write(engine, { kind: "pause", ...named, forMs }, options.tx);
  engine.events.record([{ type: "limit-paused", ...named, forMs }], options.tx);
}

export async function resumeLimit(engine: Engine, options: NamedLimit): Promise<void> {
  const named = checkNamed(options, namedKeys, "resumeLimit");
  await write(engine, { kind: "resume", ...named }, options.tx);
  engine.events.record([{ type: "limit-resumed", ...named }], options.tx);
}

export function limitNotFound(limit: string): ChainwrightError {
  return new ChainwrightError(
    "limit-not-found",
    `the limit ${show(limit)} is not declared in this store: check its name, or start a worker whose client has it.`,
    { details: { limit } },
  );
}

/** A change of a misspelt limit would wait for ever for a limit of that name. */
async function assertDeclared({ types, state, callOptions }: Engine, limit: string, tx: unknown): Promise<void> {
  if (types.limits.has(limit)) return;
  const declared = await state.listLimitDeclarations(callOptions(tx));
  if (!declared.some((each) => each.limit === limit)) throw limitNotFound(limit);
}

function checkNamed(
  options: NamedLimit,
  keys: OptionKeys,
  what: string,
): Pick<NamedLimit, "limit"> & { key: string | undefined } {
  checkKeys(options, keys, what);
  const { limit, key } = options;
  return { limit: checkLimitName(limit), key: key === undefined ? undefined : checkLimitKey(key, "key") };
}

async function write({ state, clock, callOptions }: Engine, change: LimitChange, tx: unknown): Promise<void> {
  const call = () => state.changeLimits([change], callOptions(tx));
  const [isKnown] = await (tx === undefined ? retryConflicts(state, clock, call) : call());
  if (isKnown !== true) throw limitNotFound(change.limit);
}
