import type { JobLimit, LimitRule } from "../../../src/model/limit.ts";
import type { LimitChange } from "../../../src/ports/limit.ts";
import { createModelBreaker, failIn, shutBy, succeedIn, type ModelBreaker } from "./breaker-model.ts";

/** A job as the calls have left it. */
export interface ModelJob {
  readonly id: string;
  readonly typeName: string;
  /** In which order it was written. */
  readonly position: number;
  readonly limits: readonly JobLimit[];
  state: "waiting" | "running" | "kept" | "ended";
  /** While it waits: from when on it may begin. */
  dueAt: number;
  /** A transaction that ends it is about to commit, so it may hold its places or not. */
  isLeaving: boolean;
}

interface Said {
  override: LimitRule | undefined;
  pausedUntil: number;
  readonly breaker: ModelBreaker;
}

/** What the calls of a store say of limits: written from the port's contract, not from the store. */
export interface LimitModel {
  readonly jobs: Map<string, ModelJob>;
  readonly declared: Map<string, LimitRule>;
  /** By limit and key, or by limit for all keys. */
  readonly said: Map<string, Said>;
  readonly beginnings: Map<string, number[]>;
  /** How often breakers have opened and closed, and how many jobs began as probes. */
  readonly breakers: { opened: number; closed: number; probes: number };
}

export function createLimitModel(): LimitModel {
  const breakers = { opened: 0, closed: 0, probes: 0 };
  return { jobs: new Map(), declared: new Map(), said: new Map(), beginnings: new Map(), breakers };
}

/** Returns what the store has to reply. */
export function changeModel(model: LimitModel, change: LimitChange, now: number): boolean {
  const { breakers } = model;
  if (change.kind === "declare") {
    model.declared.set(change.limit, change.rule);
    return true;
  }
  const said = saidOf(model, change.limit, change.key);
  if (change.kind === "override") said.override = { ...said.override, ...change.rule };
  if (change.kind === "reset") said.override = undefined;
  if (change.kind === "pause") said.pausedUntil = Math.max(said.pausedUntil, now + (change.forMs ?? Infinity));
  if (change.kind === "resume") resume(model, change, said);
  const hasOpened = change.kind === "failed" && failIn(said.breaker, change, now);
  const hasClosed = change.kind === "succeeded" && succeedIn(said.breaker, change.jobId);
  breakers.opened += Number(hasOpened);
  breakers.closed += Number(hasClosed);
  return change.kind === "failed" || change.kind === "succeeded" ? hasOpened || hasClosed : true;
}

function resume(
  { said }: LimitModel,
  { limit, key }: { readonly limit: string; readonly key: string | undefined },
  own: Said,
): void {
  own.pausedUntil = 0;
  for (const [name, { breaker }] of said)
    if (name === nameOf(limit, key) || (key === undefined && limitOf(name) === limit))
      Object.assign(breaker, createModelBreaker());
}

/** Whether all gates of a job have room for it. */
export function hasRoom(model: LimitModel, job: ModelJob, now: number): boolean {
  return job.limits.every((one) => {
    if (isPaused(model, one, now)) return false;
    if (shutBy(breakerOf(model, one), now, (id) => model.jobs.get(id)?.state === "running") !== undefined) return false;
    if (job.state !== "kept" && holdersOf(model, one).length >= concurrencyOf(model, one)) return false;
    const rate = model.declared.get(one.limit)?.rate;
    if (rate === undefined) return true;
    // After its clock was set back, the store lets tokens rest longer.
    const isLate = beginningsOf(model, one).some((at) => at > now);
    return !isLate && begunIn(model, one, now) < rate.count;
  });
}

/** A job begins, or is taken over from a worker that has lost it. Returns what may not be. */
export function beginIn(model: LimitModel, job: ModelJob, now: number): readonly string[] {
  const before = job.state;
  Object.assign(job, { state: "running", isLeaving: false });
  if (before === "running") return [];
  return job.limits.flatMap((one) => {
    const name = nameOf(one.limit, one.key);
    model.beginnings.set(name, [...beginningsOf(model, one), now]);
    const running = holdersOf(model, one).filter(({ isLeaving }) => !isLeaving).length;
    const begun = begunIn(model, one, now);
    const shut = shutBy(breakerOf(model, one), now, (id) => isSurelyLeased(model, id, job));
    noteProbe(model, one, job);
    const isAbove = before !== "kept" && running > concurrencyOf(model, one);
    return [
      ...(isAbove ? [`C1: ${running} jobs hold ${name}`] : []),
      ...(shut === undefined ? [] : [`the breaker of ${name}: job ${job.id} began while ${shut}`]),
      ...(isPaused(model, one, now) ? [`job ${job.id} began while ${name} was paused`] : []),
      ...(begun > (model.declared.get(one.limit)?.rate?.count ?? Infinity)
        ? [`C2: ${begun} jobs began in a window of ${name}`]
        : []),
      ...(one.holds === true ? earlierOf(model, job, one) : []),
    ];
  });
}

/** Not one that a transaction is about to end. */
function isSurelyLeased({ jobs }: LimitModel, id: string, but: ModelJob): boolean {
  const job = jobs.get(id);
  return job !== undefined && job !== but && job.state === "running" && !job.isLeaving;
}

function noteProbe(model: LimitModel, one: JobLimit, { id }: ModelJob): void {
  const breaker = breakerOf(model, one);
  if (breaker.openUntil === undefined) return;
  breaker.probe = id;
  model.breakers.probes += 1;
}

function nameOf(limit: string, key: string | undefined): string {
  return JSON.stringify([limit, key ?? null]);
}

function saidOf({ said }: LimitModel, limit: string, key: string | undefined): Said {
  const name = nameOf(limit, key);
  const known = said.get(name) ?? { override: undefined, pausedUntil: 0, breaker: createModelBreaker() };
  said.set(name, known);
  return known;
}

function limitOf(name: string): string {
  return (JSON.parse(name) as readonly [string])[0];
}

function breakerOf(model: LimitModel, { limit, key }: JobLimit): ModelBreaker {
  return saidOf(model, limit, key).breaker;
}

function isPaused(model: LimitModel, { limit, key }: JobLimit, now: number): boolean {
  return [key, undefined].some((each) => saidOf(model, limit, each).pausedUntil > now);
}

function concurrencyOf(model: LimitModel, { limit, key }: JobLimit): number {
  const [own, all] = [saidOf(model, limit, key).override, saidOf(model, limit, undefined).override];
  return own?.concurrency ?? all?.concurrency ?? model.declared.get(limit)?.concurrency ?? Infinity;
}

function holdersOf({ jobs }: LimitModel, one: JobLimit): ModelJob[] {
  return [...jobs.values()].filter((job) => (job.state === "running" || job.state === "kept") && isUnder(job, one));
}

function isUnder({ limits }: ModelJob, { limit, key }: JobLimit): boolean {
  return limits.some((each) => each.limit === limit && each.key === key);
}

function beginningsOf({ beginnings }: LimitModel, { limit, key }: JobLimit): readonly number[] {
  return beginnings.get(nameOf(limit, key)) ?? [];
}

function begunIn(model: LimitModel, one: JobLimit, now: number): number {
  const perMs = model.declared.get(one.limit)?.rate?.perMs ?? 0;
  return beginningsOf(model, one).filter((at) => at > now - perMs && at <= now).length;
}

function earlierOf({ jobs }: LimitModel, job: ModelJob, one: JobLimit): readonly string[] {
  return [...jobs.values()]
    .filter((other) => other.position < job.position && isUnder(other, one))
    .filter(({ state, isLeaving }) => state !== "ended" && !isLeaving)
    .map(({ id }) => `C6: job ${job.id} began before job ${id} of the same key had ended`);
}
