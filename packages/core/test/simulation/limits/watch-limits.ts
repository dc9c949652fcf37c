import type { JobStart } from "../../../src/model/job-start.ts";
import type { Outcome } from "../../../src/model/outcome.ts";
import type { ExchangeReply, ExchangeRequest, SettleReply } from "../../../src/ports/exchange.ts";
import type { StateAdapter } from "../../../src/ports/state.ts";
import { beginIn, changeModel, createLimitModel, hasRoom, type LimitModel, type ModelJob } from "./limit-model.ts";

interface Watched {
  readonly model: LimitModel;
  readonly now: () => number;
  readonly violations: string[];
  /** By lane that could have begun: the lanes that began instead of it. */
  readonly passed: Map<string, Set<string>>;
}

/**
 * Notes as violations what the invariants of limits forbid (C1, C2, C4, C5, C6), by the calls and replies of a store that does what a
 * call asks before the call returns. Jobs that a transaction writes or ends count once it has committed.
 */
export function watchLimits(
  store: StateAdapter,
  now: () => number,
  violations: string[],
): { readonly store: StateAdapter; readonly breakers: LimitModel["breakers"] } {
  const watched: Watched = { model: createLimitModel(), now, violations, passed: new Map() };
  return { store: watchedStore(store, watched), breakers: watched.model.breakers };
}

function watchedStore(store: StateAdapter, watched: Watched): StateAdapter {
  const { model, now, violations } = watched;
  const later = new Map<unknown, { readonly written: (() => void)[]; readonly leaving: ModelJob[] }>();
  const after = (tx: unknown, apply: () => void) => {
    const open = later.get(tx);
    if (open === undefined) apply();
    else open.written.push(apply);
  };
  return {
    ...store,
    async start(calls, options) {
      const replies = await store.start(calls, options);
      const started = calls.filter((_, index) => replies[index]?.ok === true).flatMap(({ starts }) => starts);
      after(options.tx, () => started.forEach((start) => write(watched, start)));
      return replies;
    },
    async settle(outcomes, options) {
      const replies = await store.settle(outcomes, options);
      const open = later.get(options.tx);
      for (const job of jobsOf(watched, replies)) open?.leaving.push(job);
      after(options.tx, () => settleAll(watched, outcomes, replies));
      return replies;
    },
    async exchange(request, options) {
      const reply = await store.exchange(request, options);
      settleAll(watched, request.outcomes, reply.settled);
      claimed(watched, request, reply);
      return reply;
    },
    async cancel(items, options) {
      const reply = await store.cancel(items, options);
      if (reply.ok) for (const { jobId } of reply.value) end(watched, jobId);
      return reply;
    },
    async changeLimits(changes, options) {
      const replies = await store.changeLimits(changes, options);
      for (const [index, change] of changes.entries()) {
        const isOther = changeModel(model, change, now()) !== replies[index];
        if (isOther) violations.push(`the store replied ${String(replies[index])} to ${JSON.stringify(change)}`);
      }
      return replies;
    },
    async transaction(run, options) {
      const open = { written: [] as (() => void)[], leaving: [] as ModelJob[] };
      try {
        const value = await store.transaction(async (tx) => {
          later.set(tx, open);
          const result = await run(tx);
          for (const job of open.leaving) job.isLeaving = true;
          return result;
        }, options);
        for (const apply of open.written) apply();
        return value;
      } finally {
        for (const job of open.leaving) job.isLeaving = false;
      }
    },
  };
}

function write({ model, now }: Watched, { id, typeName, limits = [] }: JobStart): void {
  if (model.jobs.has(id)) return;
  const position = model.jobs.size;
  const begun = { state: "waiting", dueAt: now(), isLeaving: false } as const;
  model.jobs.set(id, { id, typeName, position, limits, ...begun });
}

function jobsOf({ model }: Watched, replies: readonly SettleReply[]): readonly ModelJob[] {
  return replies.flatMap((reply) => (reply.status === "settled" ? (model.jobs.get(reply.jobId) ?? []) : []));
}

function settleAll(watched: Watched, outcomes: readonly Outcome[], replies: readonly SettleReply[]): void {
  for (const [index, reply] of replies.entries()) {
    const outcome = outcomes[index];
    if (reply.status !== "settled" || outcome === undefined) continue;
    if (outcome.kind !== "deferred") end(watched, reply.jobId);
    else deferred(watched, reply.jobId, outcome);
  }
}

function deferred({ model, now }: Watched, id: string, { schedule }: Extract<Outcome, { kind: "deferred" }>): void {
  const job = model.jobs.get(id);
  if (job === undefined) return;
  const afterMs = schedule !== undefined && "afterMs" in schedule ? schedule.afterMs : 0;
  const state = job.limits.some(({ holds }) => holds === true) ? "kept" : "waiting";
  Object.assign(job, { state, dueAt: now() + afterMs, isLeaving: false });
}

function end({ model }: Watched, id: string): void {
  const job = model.jobs.get(id);
  if (job !== undefined) Object.assign(job, { state: "ended", isLeaving: false });
}

const laneOf = ({ typeName, limits }: ModelJob) =>
  JSON.stringify([typeName, ...limits.map(({ limit, key }) => [limit, key])]);

/** The lanes of a claim with a job that could begin now. */
function openLanes({ model, now }: Watched, { claim }: ExchangeRequest): ReadonlySet<string> {
  const types = new Set(claim?.types.map(({ typeName }) => typeName));
  const could = [...model.jobs.values()].filter(
    (job) =>
      (job.state === "waiting" || job.state === "kept") &&
      job.limits.length > 0 &&
      types.has(job.typeName) &&
      job.dueAt <= now() &&
      hasRoom(model, job, now()),
  );
  return new Set(could.map(laneOf));
}

function claimed(watched: Watched, request: ExchangeRequest, reply: ExchangeReply): void {
  const { model, now, violations } = watched;
  if (request.claim === undefined) return;
  const { limit, startable = limit, limited } = request.claim;
  const before = openLanes(watched, request);
  const jobs = reply.claimed.flatMap(({ id }) => model.jobs.get(id) ?? []).filter((job) => job.limits.length > 0);
  const begun = jobs.filter(({ state }) => state !== "running");
  const kept = new Set(begun.filter(({ state }) => state === "kept").map(laneOf));
  for (const job of jobs) violations.push(...beginIn(model, job, now()));
  if (limited !== true) return;
  const after = openLanes(watched, request);
  const isFilled = reply.claimed.length >= limit || begun.length >= startable;
  if (!isFilled) for (const lane of after) violations.push(`C4: a claim with room left ${lane} waiting`);
  checkTurns(watched, { before, after, served: new Set(begun.map(laneOf)), kept });
}

interface Turns {
  /** The lanes that could begin before the claim, and after it. */
  readonly before: ReadonlySet<string>;
  readonly after: ReadonlySet<string>;
  readonly served: ReadonlySet<string>;
  /** Lanes with a job that had kept its place: it comes before all turns. */
  readonly kept: ReadonlySet<string>;
}

/** No lane has a second turn while another one of its type, which could begin all the time, has none. */
function checkTurns({ passed, violations }: Watched, { before, after, served, kept }: Turns): void {
  for (const lane of passed.keys()) if (!before.has(lane) || !after.has(lane) || served.has(lane)) passed.delete(lane);
  for (const lane of before) {
    if (served.has(lane) || !after.has(lane)) continue;
    const others = passed.get(lane) ?? new Set();
    for (const other of served) {
      if (kept.has(other) || typeOf(other) !== typeOf(lane)) continue;
      if (others.has(other)) violations.push(`C5: ${other} had two turns while ${lane} had none`);
      others.add(other);
    }
    if (others.size > 0) passed.set(lane, others);
  }
}

function typeOf(lane: string): string {
  return (JSON.parse(lane) as readonly [string])[0];
}
