import type { LimitRegistry } from "../checks/limit-registry.ts";
import { claimName } from "../model/claim-name.ts";
import type { ClaimedJob } from "../model/record.ts";
import type { Clock } from "../ports/clock.ts";
import type { Claim, ClaimType } from "../ports/exchange.ts";
import type { Hint } from "../ports/notify.ts";

/**
 * What a worker knows of jobs under limits: whether its claims look for them, and which places became free that it has not told the
 * others yet. A worker whose client has limits for one of its types always looks; any other one looks after it has met such a job, until
 * the store says that none waits. It is only a memory: a lane whose hint was lost is found by the next look, about a second later.
 */
export interface LimitedJobs {
  readonly isLooking: boolean;
  /** The store is asked whether such jobs wait. Returns a function to call with its reply. */
  ask(): (waits: boolean) => void;
  /** The worker has claimed these jobs. */
  noteClaimed(jobs: readonly ClaimedJob[]): void;
  /** An attempt at the job has ended. Returns whether a place has become free by that. @param isPutBack the job waits again */
  noteEnded(job: Pick<ClaimedJob, "limits">, isPutBack: boolean): boolean;
  /** Tells the others which places became free and were not taken again. @param taken a claim that was made meanwhile; undefined: none was */
  tell(taken: Taken | undefined): void;
  /** The names of this worker's claims whose jobs may wait for a place of a limit. */
  namesUnder(limit: string): readonly string[];
}

/** A claim, and what it brought. */
interface Taken {
  readonly claim: Pick<Claim, "limit" | "startable">;
  readonly claimed: readonly ClaimedJob[];
}

interface LimitedJobsOptions {
  readonly clock: Clock;
  readonly limits: LimitRegistry;
  readonly types: readonly ClaimType[];
  readonly send: (hints: readonly Hint[]) => void;
  /** Called when claims begin to look for such jobs. */
  readonly onLook: () => void;
}

interface State extends LimitedJobsOptions {
  /** Whether the client has limits for a type of the worker. */
  readonly isAware: boolean;
  hasMet: boolean;
  /** Counts the jobs that it met: one that is met while the store is asked counts more than the reply. */
  met: number;
  /** For limits that the client does not have: the names of the claims that brought such jobs. */
  readonly metNames: Map<string, Set<string>>;
  /** Free places by limit. */
  readonly freed: Map<string, number>;
}

/** Names that no worker uses any more are dropped with the others. */
const mostMet = 1_000;
const drawRange = 2 ** 32;

export function createLimitedJobs(options: LimitedJobsOptions): LimitedJobs {
  const { limits, types } = options;
  const state: State = {
    ...options,
    isAware: types.some(({ typeName }) => limits.covers(typeName)),
    hasMet: false,
    met: 0,
    metNames: new Map(),
    freed: new Map(),
  };
  return {
    get isLooking() {
      return state.isAware || state.hasMet;
    },
    ask() {
      const { met } = state;
      return (waits) => {
        if (waits) meet(state);
        else if (met === state.met) state.hasMet = false;
      };
    },
    noteClaimed(jobs) {
      for (const job of jobs) if (job.limits !== undefined) noteMet(state, job);
    },
    noteEnded({ limits: own = [] }, isPutBack) {
      if (isPutBack && limits.holds(own)) return false;
      for (const { limit } of own) state.freed.set(limit, (state.freed.get(limit) ?? 0) + 1);
      return own.length > 0;
    },
    tell: (taken) => tell(state, taken),
    namesUnder: (limit) => namesUnder(state, limit),
  };
}

function meet(state: State): void {
  state.met += 1;
  if (state.hasMet) return;
  state.hasMet = true;
  if (!state.isAware) state.onLook();
}

function noteMet(state: State, job: ClaimedJob): void {
  meet(state);
  if (state.metNames.size > mostMet) state.metNames.clear();
  for (const { limit } of job.limits ?? []) {
    if (state.limits.covers(job.typeName, limit)) continue;
    const names = state.metNames.get(limit) ?? new Set();
    state.metNames.set(limit, names.add(claimName(job)));
  }
}

function tell(state: State, taken: Taken | undefined): void {
  const { freed, send, clock } = state;
  if (freed.size === 0) return;
  const wasDry = taken !== undefined && hasFoundAll(taken);
  for (const { limits = [] } of taken?.claimed ?? [])
    for (const { limit } of limits) freed.set(limit, (freed.get(limit) ?? 0) - 1);
  const left = [...freed].filter(([limit, count]) => count > 0 && !(wasDry && isAllOwn(state, limit)));
  freed.clear();
  send(left.map(([limit, count]) => ({ kind: "freed", limit, count, draw: Math.floor(clock.random() * drawRange) })));
}

/** Whether the claim would have brought one more job under a limit, if there had been one that may begin. */
function hasFoundAll({ claim: { limit, startable = limit }, claimed }: Taken): boolean {
  const limited = claimed.filter(({ limits }) => limits !== undefined);
  return claimed.length < limit && limited.length < startable;
}

/** Whether this worker claims all types under the limit: if it found nothing, no other worker does. */
function isAllOwn({ limits, types }: State, limit: string): boolean {
  const definition = limits.all.find(({ name }) => name === limit);
  if (definition === undefined) return false;
  const own = new Set(types.map(({ typeName }) => typeName));
  const isPlain = types.every(({ pool }) => pool === undefined);
  return isPlain && Object.keys(definition.keys).every((typeName) => own.has(typeName));
}

function namesUnder({ limits, types, metNames }: State, limit: string): readonly string[] {
  const known = types.filter(({ typeName }) => limits.covers(typeName, limit)).map(claimName);
  return [...known, ...(metNames.get(limit) ?? [])];
}
