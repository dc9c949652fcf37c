import { isChainwrightError, type Timer } from "chainwright";
import type { DashboardClient } from "../dashboard-client.ts";
import type { DashboardClock } from "../clock.ts";
import type { LiveEvent, OverviewResponse } from "../protocol/overview.ts";
import { chainPrints } from "./chain-prints.ts";
import { overviewOf, type Look } from "./overview.ts";
import { durationsOf, recentRuns } from "./run-times.ts";
import { createSamples } from "./samples.ts";

/** Somebody who wants to hear of changes. */
export interface Listener {
  readonly chains: readonly string[];
  readonly tell: (event: LiveEvent) => void;
}

/** Looks at the store for everybody at once: what it costs does not grow with those who watch. */
export interface Watch {
  overview(): Promise<OverviewResponse>;
  /** Counts by type that are at most a few seconds old: a large backlog is not counted again for each page. */
  counts(): Promise<Look["counts"]>;
  /** Tells at once how things stand, then of every change. Answers how to end it. */
  listen(listener: Listener): () => void;
  /** Something was changed from here: look without waiting for the next turn. */
  lookSoon(): void;
}

/** Between two looks, and at least so many times what a look takes: a large backlog is counted less often. */
const everyMs = 2_000;
/** Between two samples of a chart. */
const sampleEveryMs = 5_000;
const restFactor = 20;
const soonMs = 100;
/** A look that is younger answers a request for the overview. */
const freshMs = 1_000;
/** The same for counts beside a list. */
const freshCountsMs = 10_000;
/** Samples go on being taken for a while after somebody looked, so that the next page has its charts. */
const lingerMs = 60_000;

interface State {
  readonly client: DashboardClient;
  readonly clock: DashboardClock;
  readonly onFailure: (error: unknown) => void;
  readonly listeners: Set<Listener>;
  readonly samples: ReturnType<typeof createSamples>;
  last: Look | undefined;
  looking: Promise<Look> | undefined;
  durations: Look["durations"];
  askedAt: number;
  failing: boolean;
  timer: Timer | undefined;
  costMs: number;
  shown: string;
  prints: ReadonlyMap<string, string | undefined>;
}

export function createWatch(options: Pick<State, "client" | "clock" | "onFailure">): Watch {
  const state: State = {
    ...options,
    listeners: new Set(),
    samples: createSamples(),
    last: undefined,
    looking: undefined,
    durations: new Map(),
    askedAt: -Infinity,
    failing: false,
    timer: undefined,
    costMs: 0,
    shown: "",
    prints: new Map(),
  };
  return {
    async overview() {
      state.askedAt = state.clock.now();
      const found = await lookWithin(state, freshMs);
      plan(state, restOf(state));
      return overviewOf(found, state.samples, sampleEveryMs);
    },
    async counts() {
      return (await lookWithin(state, freshCountsMs)).counts;
    },
    listen(listener) {
      state.listeners.add(listener);
      if (state.last !== undefined) tellOverview(state, state.last, [listener]);
      plan(state, state.last === undefined || listener.chains.length > 0 ? soonMs : restOf(state));
      return () => {
        state.listeners.delete(listener);
      };
    },
    lookSoon() {
      state.last = undefined;
      if (state.listeners.size > 0) replan(state, soonMs);
    },
  };
}

/** A look no older than that, or than the pause that its cost calls for. */
async function lookWithin(state: State, ageMs: number): Promise<Look> {
  const { last, clock, costMs } = state;
  const isFresh = last !== undefined && clock.now() - last.at < Math.max(ageMs, costMs * restFactor);
  return isFresh ? last : await lookOnce(state);
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

/** One turn: a look, what it found told to all, and the next turn planned while anybody is there. */
async function turn(state: State): Promise<void> {
  try {
    tellChanges(state, await lookOnce(state));
    await tellChains(state);
    state.failing = false;
  } catch (error) {
    if (isChainwrightError(error, "closed")) return;
    // Told once, not every two seconds: the store may be away for long.
    if (!state.failing) state.onFailure(error);
    state.failing = true;
  }
  const isNeeded = state.listeners.size > 0 || state.clock.now() - state.askedAt < lingerMs;
  if (isNeeded) plan(state, restOf(state));
}

function lookOnce(state: State): Promise<Look> {
  state.looking ??= look(state).finally(() => (state.looking = undefined));
  return state.looking;
}

async function look(state: State): Promise<Look> {
  const { client, clock, samples } = state;
  const at = clock.now();
  const counts = await client.countJobs();
  const workers = await client.listWorkers();
  if (at - (samples.newest ?? -Infinity) >= sampleEveryMs) {
    const runs = await recentRuns(client, counts, at);
    state.durations = durationsOf(runs);
    samples.add(at, counts, runs);
  }
  const found = { at, counts, workers, durations: state.durations };
  state.costMs = clock.now() - at;
  state.last = found;
  return found;
}

function tellChanges(state: State, found: Look): void {
  const { counts, workers } = found;
  const shown = JSON.stringify([countsOnly(counts), workers.map(({ id, holds }) => [id, holds])]);
  if (shown === state.shown) return;
  state.shown = shown;
  tellOverview(state, found, state.listeners);
  // After the first look too: something may have changed between it and the moment at which a page was loaded.
  for (const listener of state.listeners) listener.tell({ type: "changed", now: found.at });
}

/** Ages grow by themselves: that is no news. */
function countsOnly(counts: Look["counts"]): unknown {
  return Object.entries(counts).map(([typeName, count]) => [typeName, { ...count, oldestReadyMs: undefined }]);
}

function tellOverview(state: State, found: Look, listeners: Iterable<Listener>): void {
  const event: LiveEvent = { type: "overview", ...overviewOf(found, state.samples, sampleEveryMs) };
  for (const listener of listeners) listener.tell(event);
}

async function tellChains(state: State): Promise<void> {
  const watched = new Set(Array.from(state.listeners, ({ chains }) => chains).flat());
  const before = state.prints;
  const after = await chainPrints(state.client, [...watched]);
  state.prints = after;
  const now = state.clock.now();
  for (const [id, print] of after) {
    if (!before.has(id) || before.get(id) === print) continue;
    const event: LiveEvent = { type: "chain", id, exists: print !== undefined, now };
    for (const listener of state.listeners) if (listener.chains.includes(id)) listener.tell(event);
  }
}
