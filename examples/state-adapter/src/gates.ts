import { rules } from "chainwright/adapter";
import type { BreakerState, LimitKey, LimitRate, LimitRule } from "chainwright/adapter";
import type { Data, Job, LimitSaid } from "./data.ts";

/** What has been said of a limit, for one key or, without `key`, for all keys. */
export function saidOf({ limits }: Data, limit: string, key?: string): LimitSaid | undefined {
  return limits.said.find((said) => said.limit === limit && said.key === key);
}

/** What counts for a key. Undefined: no one has declared the limit. */
export function ruleOf(data: Data, { limit, key }: LimitKey): LimitRule | undefined {
  const [own, all] = [saidOf(data, limit, key)?.override, saidOf(data, limit)];
  if (all?.declared === undefined) return undefined;
  return {
    concurrency: own?.concurrency ?? all.override?.concurrency ?? all.declared.concurrency,
    rate: own?.rate ?? all.override?.rate ?? all.declared.rate,
  };
}

/** When the pause of a key ends: its own, or that of all keys, whichever is later. Undefined: it is not paused. */
export function pauseEnd(data: Data, { limit, key }: LimitKey, now: number): number | undefined {
  const ends = [saidOf(data, limit, key), saidOf(data, limit)].map((said) => endOf(said?.pausedUntil));
  const until = Math.max(...ends);
  return until > now ? until : undefined;
}

/** What is kept for a key whose jobs have failed. */
export function breakerOf(data: Data, { limit, key }: LimitKey): BreakerState | undefined {
  return saidOf(data, limit, key)?.breaker;
}

/** JSON has no Infinity. */
export function endOf(pausedUntil: LimitSaid["pausedUntil"]): number {
  return pausedUntil === "resumed" ? Infinity : (pausedUntil ?? 0);
}

/** The jobs that hold a place: from their first lease on, until they end or are put back. */
export function holdersOf(data: Data, key: LimitKey): Job[] {
  return [...data.jobs.values()].filter((job) => job.hasPlaces && isUnder(job, key));
}

export function isUnder({ limits = [] }: Job, { limit, key }: LimitKey): boolean {
  return limits.some((each) => each.limit === limit && each.key === key);
}

/** Whether a job may begin under all of its limits. One that has kept its places needs no others. */
export function mayBegin(data: Data, { limits = [], hasPlaces }: Job, now: number): boolean {
  return limits.every((key) => {
    const rule = ruleOf(data, key);
    if (rule === undefined || pauseEnd(data, key, now) !== undefined) return false;
    const isLeased = (id: string) => data.jobs.get(id)?.status === "running";
    if (rules.breakerLets(breakerOf(data, key), now, isLeased) === "none") return false;
    const isFull = rule.concurrency !== undefined && holdersOf(data, key).length >= rule.concurrency;
    if (isFull && !hasPlaces) return false;
    return rule.rate === undefined || restingOf(data, key, now).length < windowOf(rule.rate).count;
  });
}

/** When a key that is closed opens by itself. Undefined: not by time, or it is open. */
export function opensAt(data: Data, key: LimitKey, now: number): number | undefined {
  const rate = ruleOf(data, key)?.rate;
  const resting = restingOf(data, key, now);
  const token = rate && resting[resting.length - windowOf(rate).count];
  const broken = rules.openBreaker(breakerOf(data, key))?.openUntil ?? 0;
  const at = Math.max(pauseEnd(data, key, now) ?? 0, token ?? 0, broken > now ? broken : 0);
  return at === 0 || at === Infinity ? undefined : at;
}

/** A beginning spends a token of each rate, which rests until its window is over. */
export function spendTokens(data: Data, { limits = [] }: Job, now: number): void {
  for (const { limit, key } of limits) {
    const rate = ruleOf(data, { limit, key })?.rate;
    if (rate !== undefined) data.limits.tokens.push({ limit, key, freeAt: now + windowOf(rate).perMs });
  }
}

/** The moments at which the tokens of a key that rest can be used again, in order. */
export function restingOf({ limits }: Data, { limit, key }: LimitKey, now: number): number[] {
  const resting = limits.tokens.filter((token) => token.limit === limit && token.key === key && token.freeAt > now);
  return resting.map(({ freeAt }) => freeAt).toSorted((a, b) => a - b);
}

/** Evenly spaced beginnings are one token that rests for its share of the window. */
function windowOf({ count, perMs, spread }: LimitRate): Pick<LimitRate, "count" | "perMs"> {
  return spread ? { count: 1, perMs: perMs / count } : { count, perMs };
}
