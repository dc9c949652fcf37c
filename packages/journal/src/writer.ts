import type { Change } from "chainwright/change-log";
import { unavailable } from "./errors.ts";
import type { Segments } from "./segments.ts";
import type { SyncPace } from "./sync-pace.ts";

export interface WriterOptions {
  readonly segments: Segments;
  /** Undefined: what is written is acknowledged when it is on the disk. Otherwise it gets there after at most this time. */
  readonly intervalMs: number | undefined;
  /** Called after each batch. */
  readonly onWritten: () => void;
  /** Whether someone else writes to the disk. */
  readonly isDiskBusy: () => boolean;
  readonly pace: SyncPace;
}

/**
 * Writes what is appended in batches, each one record. While one is on its way the next one gathers, so that callers wait for the disk
 * together and none waits for a timer.
 */
export interface Writer {
  check(): void;
  append(changes: readonly Change[]): void;
  settled(): Promise<void> | undefined;
  /** Begins a new segment before the next record, and returns where it begins. */
  cut(): Promise<Cut>;
  /** Writes what waits, and syncs it. Rejects if it failed. */
  flush(): Promise<void>;
  /** Ends all writing with an error. */
  fail(error: unknown): void;
}

/** The first segment after a cut, and the sequence of the last record before it. */
export interface Cut {
  readonly segment: number;
  readonly sequence: number;
}

/** What waits to be written. */
interface Batch {
  readonly commits: (readonly Change[])[];
  readonly done: PromiseWithResolvers<void>;
}

/** The CPU time in which a caller whose batch is done is back with its next commit, measured with starts. */
const comesBackMs = 0.01;
/** A record takes commits until it has this many characters: strings cannot have any length. */
const recordLength = 16 * 1024 * 1024;

interface State extends WriterOptions {
  waiting: Batch | undefined;
  underWay: Batch | undefined;
  cutting: PromiseWithResolvers<Cut> | undefined;
  isRunning: boolean;
  failure: Error | undefined;
  timer: NodeJS.Timeout | undefined;
  syncing: { readonly since: number; readonly done: Promise<void> } | undefined;
}

export function createWriter(options: WriterOptions): Writer {
  const idle = { waiting: undefined, underWay: undefined, cutting: undefined, timer: undefined, syncing: undefined };
  const state: State = { ...options, ...idle, isRunning: false, failure: undefined };
  return {
    check: () => {
      if (state.failure !== undefined) throw state.failure;
    },
    append: (changes) => {
      if (state.failure !== undefined) return;
      state.waiting ??= createBatch();
      state.waiting.commits.push(changes);
      begin(state);
    },
    settled: () => {
      const { failure, waiting, underWay } = state;
      return failure === undefined ? (waiting ?? underWay)?.done.promise : Promise.reject(failure);
    },
    cut: () => {
      if (state.failure !== undefined) return Promise.reject(state.failure);
      state.cutting ??= Promise.withResolvers<Cut>();
      const { promise } = state.cutting;
      begin(state);
      return promise;
    },
    flush: () => flush(state),
    fail: (error) => {
      fail(state, error);
    },
  };
}

/** What a failed sync has lost no later sync can report: the system may have forgotten that these bytes are not on the disk. */
function fail(state: State, error: unknown): void {
  state.failure ??= unavailable(
    "the journal cannot be written any more, so the store has stopped: start the process again to go on with what is on the disk",
    error,
    { outcome: "unknown" },
  );
  clearTimeout(state.timer);
  for (const waits of [state.underWay?.done, state.waiting?.done, state.cutting]) waits?.reject(state.failure);
  [state.timer, state.waiting, state.cutting] = [undefined, undefined, undefined];
}

function begin(state: State): void {
  if (state.isRunning) return;
  state.isRunning = true;
  queueMicrotask(() => void run(state));
}

/** Never rejects. */
async function run(state: State): Promise<void> {
  while ((state.waiting !== undefined || state.cutting !== undefined) && state.failure === undefined) {
    try {
      await step(state);
    } catch (error) {
      fail(state, error);
    }
    state.underWay = undefined;
  }
  state.isRunning = false;
}

async function step(state: State): Promise<void> {
  if (state.cutting !== undefined) return cutNow(state);
  const batch = state.waiting;
  state.underWay = batch;
  state.waiting = undefined;
  if (batch === undefined) return;
  const begunAt = performance.now();
  const isInThread = await write(state, batch);
  if (state.failure === undefined) batch.done.resolve();
  state.onWritten();
  // Nothing else has run since the last turn of the event loop, so timers and sockets have theirs now.
  if (isInThread) return nextTurn();
  const wroteMs = performance.now() - begunAt;
  // Otherwise callers stay in two halves that wait for each other's syncs: 12 k starts/s instead of 20 k at 100 callers and 4 ms.
  const isSlow = state.intervalMs === undefined && wroteMs > batch.commits.length * comesBackMs;
  if (isSlow && state.waiting !== undefined) await nextTurn();
}

/** By then those whose batch is done are back. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

async function cutNow(state: State): Promise<void> {
  const sequence = state.segments.sequence();
  const segment = await state.segments.next();
  state.cutting?.resolve({ segment, sequence });
  state.cutting = undefined;
}

/** Returns whether the thread of the event loop was held by a sync. */
async function write(state: State, { commits }: Batch): Promise<boolean> {
  const { segments, intervalMs } = state;
  if (segments.isFull()) await segments.next();
  for (const text of recordsOf(commits)) segments.write(text);
  if (intervalMs === undefined) return syncNowOrSoon(state);
  syncLater(state, intervalMs);
  // A disk that takes longer than the interval holds the callers back, so that no more than that is ever at risk.
  const { syncing } = state;
  if (syncing !== undefined && performance.now() - syncing.since > intervalMs) await syncing.done;
  return false;
}

/** In this thread where that is faster. Returns whether it was. */
async function syncNowOrSoon(state: State): Promise<boolean> {
  const { segments, pace, isDiskBusy } = state;
  const begunAt = performance.now();
  const isInThread = pace.isFast() && state.syncing === undefined && !segments.hasGrown() && !isDiskBusy();
  if (isInThread) segments.syncNow();
  else await sync(state);
  pace.note(performance.now() - begunAt, isInThread);
  return isInThread;
}

function sync(state: State): Promise<void> {
  const done = state.segments.sync().finally(() => {
    state.syncing = undefined;
  });
  state.syncing = { since: performance.now(), done };
  return done;
}

function syncLater(state: State, intervalMs: number): void {
  if (state.timer !== undefined) return;
  state.timer = setTimeout(() => {
    state.timer = undefined;
    (state.syncing?.done ?? sync(state)).then(
      () => {
        if (state.failure === undefined && state.segments.hasUnsynced()) syncLater(state, intervalMs);
      },
      (error: unknown) => {
        fail(state, error);
      },
    );
  }, intervalMs);
  state.timer.unref();
}

async function flush(state: State): Promise<void> {
  await (state.waiting ?? state.underWay)?.done.promise;
  clearTimeout(state.timer);
  state.timer = undefined;
  try {
    if (state.failure === undefined && state.segments.hasUnsynced()) await sync(state);
  } catch (error) {
    fail(state, error);
  }
  if (state.failure !== undefined) throw state.failure;
}

function createBatch(): Batch {
  const done = Promise.withResolvers<void>();
  // Calls that have seen nothing of it do not wait for it.
  done.promise.catch(() => {});
  return { commits: [], done };
}

/** The texts of records: each has whole commits. */
function* recordsOf(commits: readonly (readonly Change[])[]): Generator<string> {
  const [only, another] = commits;
  if (only !== undefined && another === undefined) {
    // Its text is not copied: a commit has the starts of many callers.
    yield JSON.stringify(only);
    return;
  }
  let parts: string[] = [];
  let length = 0;
  for (const commit of commits) {
    const text = JSON.stringify(commit);
    parts.push(text.slice(1, -1));
    length += text.length;
    if (length < recordLength) continue;
    yield `[${parts.join(",")}]`;
    [parts, length] = [[], 0];
  }
  if (parts.length > 0) yield `[${parts.join(",")}]`;
}
