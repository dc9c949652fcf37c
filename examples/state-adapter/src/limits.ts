import { rules } from "chainwright/adapter";
import type { LimitChange, LimitDeclaration, LimitKey, LimitQuery, LimitRecord, LimitRule } from "chainwright/adapter";
import type { Data, LimitSaid } from "./data.ts";
import { breakerOf, endOf, holdersOf, isUnder, opensAt, pauseEnd, restingOf, ruleOf, saidOf } from "./gates.ts";
import { readySince, statusAt } from "./jobs.ts";

/** A job that no worker can take over gives its places back after this time. */
const abandonedMs = 60_000;

export function changeLimits(data: Data, changes: readonly LimitChange[], now: number): readonly boolean[] {
  return changes.map((change) => {
    const { limit, kind } = change;
    const all = saidOf(data, limit);
    if (all === undefined && kind !== "declare" && kind !== "override") return false;
    if (all === undefined) say(data, { limit, key: undefined }, {});
    if (change.kind === "failed" || change.kind === "succeeded") return tellBreaker(data, change, now);
    if (change.kind !== "declare") say(data, change, changed(saidOf(data, limit, change.key), change, now));
    else if (all?.codeVersion === undefined || (change.codeVersion ?? -Infinity) >= all.codeVersion)
      say(data, { limit, key: undefined }, { declared: change.rule, codeVersion: change.codeVersion });
    if (kind === "resume" && change.key === undefined)
      for (const said of data.limits.said) if (said.limit === limit) say(data, said, { breaker: undefined });
    return true;
  });
}

type Report = Extract<LimitChange, { readonly kind: "failed" | "succeeded" }>;

/** Returns whether the breaker has opened or closed. */
function tellBreaker(data: Data, change: Report, now: number): boolean {
  const before = breakerOf(data, change);
  if (change.kind === "succeeded") {
    const closes = rules.breakerCloses(before, change.jobId);
    if (closes) say(data, change, { breaker: undefined });
    return closes;
  }
  const { state, hasOpened } = rules.breakerFailed(before, change, now);
  say(data, change, { breaker: state });
  return hasOpened;
}

/** Keys in use are those of open jobs, those with tokens that rest, and those with a pause or an override. */
export function listLimits(data: Data, query: LimitQuery, now: number): readonly LimitRecord[] {
  if (query.keys !== undefined) return query.keys.slice(0, query.limit).map((key) => toRecord(data, key, now));
  const { limitName, isBusy, after, limit } = query;
  return keysInUse(data, now)
    .filter((key) => limitName === undefined || key.limit === limitName)
    .filter((key) => after === undefined || byLimit(key, after) > 0)
    .map((key) => toRecord(data, key, now))
    .filter((record) => isBusy !== true || isInUse(record))
    .slice(0, limit);
}

function isInUse({ waiting, pausedUntil, breaker }: LimitRecord): boolean {
  return waiting > 0 || pausedUntil !== undefined || breaker !== undefined;
}

export function listLimitDeclarations(data: Data, _request: undefined, now: number): readonly LimitDeclaration[] {
  return data.limits.said
    .filter(({ key }) => key === undefined)
    .map(({ limit, declared, codeVersion, override, pausedUntil }) => {
      const until = endOf(pausedUntil);
      return { limit, declared, codeVersion, override, pausedUntil: until > now ? until : undefined };
    })
    .toSorted((a, b) => (a.limit < b.limit ? -1 : 1));
}

/** Forgets tokens that rest no longer and pauses that have passed, and frees the places of jobs that no live worker takes. */
export function keepLimits(data: Data, now: number): void {
  const { limits } = data;
  limits.tokens = limits.tokens.filter(({ freeAt }) => freeAt > now);
  for (const { limit, key, pausedUntil } of limits.said)
    if (endOf(pausedUntil) <= now) say(data, { limit, key }, { pausedUntil: undefined });
  for (const { limit, key, breaker } of limits.said)
    if (breaker !== undefined && rules.isBreakerPast(breaker, now)) say(data, { limit, key }, { breaker: undefined });
  const isPlain = ({ override, pausedUntil, breaker }: LimitSaid) =>
    override === undefined && pausedUntil === undefined && breaker === undefined;
  limits.said = limits.said.filter((said) => said.key === undefined || !isPlain(said));
  const served = [...data.workers.values()].filter(({ aliveUntil }) => aliveUntil > now);
  const types = new Set(served.flatMap(({ worker }) => worker.typeNames));
  for (const job of data.jobs.values()) {
    const isAbandoned = job.hasPlaces && statusAt(job, now) === "ready" && readySince(job) <= now - abandonedMs;
    if (!isAbandoned || types.has(job.typeName)) continue;
    Object.assign(job, { status: "ready", readyAt: readySince(job), lease: undefined, hasPlaces: false });
  }
  const lanes = new Set([...data.jobs.values()].map(({ lane, endedAt }) => (endedAt === undefined ? lane : undefined)));
  limits.turns = limits.turns.filter(({ lane }) => lanes.has(lane));
}

type KeyChange = Exclude<LimitChange, Report | { readonly kind: "declare" }>;

function changed(before: LimitSaid | undefined, change: KeyChange, now: number): Partial<LimitSaid> {
  switch (change.kind) {
    case "override":
      return { override: added(before?.override, change.rule) };
    case "reset":
      return { override: undefined };
    case "pause": {
      const until = Math.max(endOf(before?.pausedUntil), now + (change.forMs ?? Infinity));
      return { pausedUntil: until === Infinity ? "resumed" : until };
    }
    case "resume":
      return { pausedUntil: undefined, breaker: undefined };
  }
}

function added(before: LimitRule | undefined, { concurrency, rate }: LimitRule): LimitRule {
  return { concurrency: concurrency ?? before?.concurrency, rate: rate ?? before?.rate };
}

function say(data: Data, { limit, key }: Pick<LimitSaid, "limit" | "key">, facts: Partial<LimitSaid>): void {
  const nothing = { declared: undefined, codeVersion: undefined, override: undefined, pausedUntil: undefined };
  const before = saidOf(data, limit, key) ?? { ...nothing, breaker: undefined, limit, key };
  data.limits.said = [...data.limits.said.filter((said) => said !== before), { ...before, ...facts }];
}

function keysInUse(data: Data, now: number): readonly LimitKey[] {
  const ofJobs = [...data.jobs.values()].flatMap(({ limits = [], endedAt }) => (endedAt === undefined ? limits : []));
  const ofTokens = data.limits.tokens.filter((token) => restingOf(data, token, now).length > 0);
  const said = data.limits.said.flatMap(({ limit, key }) => (key === undefined ? [] : [{ limit, key }]));
  const keys = new Map([...ofJobs, ...ofTokens, ...said].map((each) => [JSON.stringify([each.limit, each.key]), each]));
  return [...keys.values()].toSorted(byLimit);
}

function byLimit(a: LimitKey, b: LimitKey): number {
  if (a.limit !== b.limit) return a.limit < b.limit ? -1 : 1;
  return a.key < b.key ? -1 : Number(a.key > b.key);
}

function toRecord(data: Data, { limit, key }: LimitKey, now: number): LimitRecord {
  const all = saidOf(data, limit);
  const at = opensAt(data, { limit, key }, now);
  const isWaiting = (status: string, hasPlaces: boolean) => status === "ready" && !hasPlaces;
  const jobs = [...data.jobs.values()].filter((job) => isUnder(job, { limit, key }));
  return {
    limit,
    key,
    running: holdersOf(data, { limit, key }).length,
    waiting: jobs.filter((job) => isWaiting(statusAt(job, now), job.hasPlaces)).length,
    rule: ruleOf(data, { limit, key }),
    declared: all?.declared,
    isOverridden: all?.override !== undefined || saidOf(data, limit, key)?.override !== undefined,
    pausedUntil: pauseEnd(data, { limit, key }, now),
    breaker: rules.openBreaker(breakerOf(data, { limit, key })),
    opensInMs: at === undefined ? undefined : at - now,
  };
}
