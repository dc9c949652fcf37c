import { isChainwrightError } from "chainwright";
import type { Timer, ErasedClient } from "chainwright/adapter";
import type { DashboardClock } from "../clock.ts";
import type { LiveEvent, OverviewResponse } from "../protocol/overview.ts";
import type { JobStatus } from "../protocol/views.ts";
import { chainPrints } from "./chain-prints.ts";
import type { LatestNotes } from "./latest-notes.ts";
import { progressReports, type FollowsProgress } from "./progress-reports.ts";
import { watchedChains, type OpenPage } from "./watched-chains.ts";
import { overviewOf, type Look } from "./overview.ts";
import { durationsOf, recentRuns } from "./run-times.ts";
import { createSamples } from "./samples.ts";

/** One open page that receives changes. */
export interface Listener extends OpenPage, FollowsProgress {
  readonly notify: (event: LiveEvent) => void;
}

/** Looks at the store once for all listeners: the cost does not grow with their number. */
export interface Watch {
  overview(): Promise<OverviewResponse>;
  /**
   * Counts by type, at most a few seconds old: a large backlog is not counted again for each page. With statuses, those of others may be
   * 0, because ended jobs alone are counted without reading open ones.
   */
  counts(statuses?: readonly JobStatus[]): Promise<Look["counts"]>;
  /** Sends the current state at once, then every change. Returns a function that ends it. */
  listen(listener: Listener): () => void;
  /** Looks without waiting for the next turn, because this process has changed something. */
  lookSoon(): void;
}

/** Time between two looks; at least `restFactor` times the duration of a look, so a large backlog is counted less often. */
const everyMs = 2_000;
/** Time between two samples of a chart. */
const sampleEveryMs = 5_000;
const restFactor = 20;
const soonMs = 100;
/** A request for the overview uses the last look if it is younger than this. */
const freshMs = 1_000;
/** The same for the counts beside a list. */
const freshCountsMs = 10_000;
/** Sampling continues this long after the last request, so that the next page already has its charts. */
const lingerMs = 60_000;

interface State {
  readonly client: ErasedClient;
  readonly clock: DashboardClock;
  readonly latestNotes: LatestNotes;
  readonly onFailure: (error: unknown) => void;
  readonly listeners: Set<Listener>;
  readonly samples: ReturnType<typeof createSamples>;
  last: Look | undefined;
  looking: Promise<Look> | undefined;
  /** By the statuses that were counted alone. */
  readonly counted: Map<string, Counted>;
  durations: Look["durations"];
  askedAt: number;
  failing: boolean;
  timer: Timer | undefined;
  costMs: number;
  shown: string;
  prints: ReadonlyMap<string, string | undefined>;
  /** Pages whose chains are not all watched, because there are too many. */
  readonly notLive: WeakSet<Listener>;
}

export function createWatch(options: Pick<State, "client" | "clock" | "latestNotes" | "onFailure">): Watch {
  const state: State = {
    ...options,
    listeners: new Set(),
    samples: createSamples(),
    last: undefined,
    looking: undefined,
    counted: new Map(),
    durations: new Map(),
    askedAt: -Infinity,
    failing: false,
    timer: undefined,
    costMs: 0,
    shown: "",
    prints: new Map(),
    notLive: new WeakSet(),
  };
  return {
    async overview() {
      state.askedAt = state.clock.now();
      const found = await lookWithin(state, freshMs);
      plan(state, restOf(state));
      return overviewOf(found, state.samples, sampleEveryMs);
    },
    async counts(statuses) {
      return await countsWithin(state, statuses);
    },
    listen(listener) {
      state.listeners.add(listener);
      if (state.failing) listener.notify({ type: "store", isAway: true, now: state.clock.now() });
      if (state.last !== undefined) sendOverview(state, state.last, [listener]);
      plan(state, state.last === undefined || listener.chains.length > 0 ? soonMs : restOf(state));
      return () => {
        state.listeners.delete(listener);
      };
    },
    lookSoon() {
      state.last = undefined;
      // One that is under way may have read before the change.
      state.looking = undefined;
      state.counted.clear();
      if (state.listeners.size > 0) replan(state, soonMs);
    },
  };
}

/** Returns a look no older than `ageMs`, or than the pause that its cost requires. */
async function lookWithin(state: State, ageMs: number): Promise<Look> {
  const { last } = state;
  return last !== undefined && isFresh(state, last.at, ageMs) ? last : await lookOnce(state);
}

interface Counted {
  readonly at: number;
  readonly counts: Promise<Look["counts"]>;
}

/** Counts alone, if nothing has looked lately: the rest of a look reads more, and other statuses may cost more. */
async function countsWithin(state: State, statuses: readonly JobStatus[] | undefined): Promise<Look["counts"]> {
  const { last, looking, counted } = state;
  if (last !== undefined && isFresh(state, last.at, freshCountsMs)) return last.counts;
  if (looking !== undefined) return (await looking).counts;
  const known = counted.get(keyOf(statuses));
  return await (known !== undefined && isFresh(state, known.at, freshCountsMs) ? known : countOnce(state, statuses))
    .counts;
}

function countOnce(state: State, statuses: readonly JobStatus[] | undefined): Counted {
  const { client, clock, counted } = state;
  const at = clock.now();
  const key = keyOf(statuses);
  const own: Counted = {
    at,
    counts: client.countJobs({ status: statuses }).then(
      (counts) => {
        state.costMs = Math.max(state.costMs, clock.now() - at);
        return counts;
      },
      (error: unknown) => {
        if (counted.get(key) === own) counted.delete(key);
        throw error;
      },
    ),
  };
  counted.set(key, own);
  return own;
}

function keyOf(statuses: readonly JobStatus[] = []): string {
  return statuses.toSorted().join(" ");
}

function isFresh({ clock, costMs }: State, at: number, ageMs: number): boolean {
  return clock.now() - at < Math.max(ageMs, costMs * restFactor);
}

function restOf({ costMs }: State): number {
  return Math.max(everyMs, costMs * restFactor);
}

function plan(state: State, delayMs: number): void {
  state.timer ??= state.clock.setTimer(() => {
    state.timer = undefined;
    void turn(state);
  }, delayMs);
}

function replan(state: State, delayMs: number): void {
  state.timer?.cancel();
  state.timer = undefined;
  plan(state, delayMs);
}

/** One turn: looks, sends what has changed, and plans the next turn while pages are open. */
async function turn(state: State): Promise<void> {
  try {
    const found = await lookOnce(state);
    // Otherwise something has changed meanwhile, and the next turn comes soon.
    if (found === state.last) sendChanges(state, found);
    await sendChainChanges(state);
    await sendProgress(state);
    if (state.failing) sayWhetherAway(state, false);
    state.failing = false;
  } catch (error) {
    if (isChainwrightError(error, "closed")) return;
    // Reported once, not every two seconds: the store may be unavailable for long.
    if (!state.failing) {
      state.onFailure(error);
      sayWhetherAway(state, true);
    }
    state.failing = true;
  }
  const isNeeded = state.listeners.size > 0 || state.clock.now() - state.askedAt < lingerMs;
  if (isNeeded) plan(state, restOf(state));
}

function sayWhetherAway({ listeners, clock }: State, isAway: boolean): void {
  for (const listener of listeners) listener.notify({ type: "store", isAway, now: clock.now() });
}

async function lookOnce(state: State): Promise<Look> {
  if (state.looking !== undefined) return await state.looking;
  const own = look(state);
  state.looking = own;
  try {
    const found = await own;
    if (state.looking === own) state.last = found;
    return found;
  } finally {
    if (state.looking === own) state.looking = undefined;
  }
}

async function look(state: State): Promise<Look> {
  const { client, clock, samples } = state;
  const at = clock.now();
  const { byType: counts, queued } = await client.countAllJobs();
  const workers = await client.listWorkers();
  const paused = await client.listPausedTypes();
  if (at - (samples.newest ?? -Infinity) >= sampleEveryMs) {
    const runs = await recentRuns(client, counts, at);
    state.durations = durationsOf(runs);
    samples.add(at, counts, runs);
  }
  const found = { at, counts, queued, workers, paused, durations: state.durations };
  state.costMs = clock.now() - at;
  return found;
}

function sendChanges(state: State, found: Look): void {
  const { counts, queued, workers, paused } = found;
  const shown = JSON.stringify([countsOnly(counts), queued, workers.map(({ id, holds }) => [id, holds]), paused]);
  if (shown === state.shown) return;
  state.shown = shown;
  sendOverview(state, found, state.listeners);
  // Sent after the first look too: something may have changed after a page was loaded and before that look.
  for (const listener of state.listeners) listener.notify({ type: "changed", now: found.at });
}

/** Without ages: they grow by themselves and are not a change. */
function countsOnly(counts: Look["counts"]): unknown {
  return Object.entries(counts).map(([typeName, count]) => [typeName, { ...count, oldestReadyMs: undefined }]);
}

function sendOverview(state: State, found: Look, listeners: Iterable<Listener>): void {
  const event: LiveEvent = { type: "overview", ...overviewOf(found, state.samples, sampleEveryMs) };
  for (const listener of listeners) listener.notify(event);
}

async function sendChainChanges(state: State): Promise<void> {
  const listeners = [...state.listeners];
  const watched = watchedChains(listeners);
  const before = state.prints;
  const after = await chainPrints(state.client, state.latestNotes, [...watched]);
  state.prints = after;
  const now = state.clock.now();
  for (const [id, print] of after) {
    if (!before.has(id) || before.get(id) === print) continue;
    const event: LiveEvent = { type: "chain", id, exists: print !== undefined, now };
    for (const listener of listeners) if (listener.chains.includes(id)) listener.notify(event);
  }
  for (const listener of listeners) sayWhetherLive(state, listener, watched);
}

async function sendProgress({ client, latestNotes, listeners, clock }: State): Promise<void> {
  const reports = await progressReports(client, latestNotes, [...listeners]);
  for (const [listener, progress] of reports) {
    const event: LiveEvent = { type: "progress", progress, now: clock.now() };
    listener.notify(event);
  }
}

/** Tells a page when its chains are no longer watched, and when they are again. */
function sayWhetherLive({ notLive, clock }: State, listener: Listener, watched: ReadonlySet<string>): void {
  const isLive = listener.chains.every((id) => watched.has(id));
  if (isLive === !notLive.has(listener)) return;
  if (isLive) notLive.delete(listener);
  else notLive.add(listener);
  listener.notify({ type: "watching", isLive, now: clock.now() });
}
