import type { Clock, Timer } from "../ports/clock.ts";
import type { Hint } from "../ports/notify.ts";
import { createWaitingWorkers, type WaitingWorkers } from "./waiting-workers.ts";

type Ready = Extract<Hint, { readonly kind: "ready" }>;
type Taken = Extract<Hint, { readonly kind: "taken" }>;

/**
 * Which workers look when jobs become ready. All workers receive the hint; as many look at once as the jobs need. They are the
 * first in an order that is computed from the hint, and that is the same in all processes. The others look a little later each,
 * unless they hear that the jobs were taken. A wrong order costs that short time, or one look that finds nothing.
 */
export interface LookOrder {
  /** Jobs became ready. */
  ready(hint: Ready): void;
  /** Another worker took some, or announces that it waits for them. */
  taken(hint: Taken): void;
  /** Another worker no longer waits. */
  left(workerId: string): void;
  /** This worker looks. Returns a function to call with what it found, unless the store could not be reached. */
  begin(): (found: Found) => void;
  /** Announces that this worker waits for jobs. */
  greet(): void;
  /** Announces that it no longer waits. */
  leave(): void;
}

export interface Found {
  /**
   * The types of the claimed jobs, one for each job; without the jobs that the same round trip made ready, because no hint
   * announced those.
   */
  readonly typeNames: readonly string[];
  /** Whether nothing was left. */
  readonly dry: boolean;
}

export interface LookOrderOptions {
  readonly clock: Clock;
  readonly workerId: string;
  readonly typeNames: readonly string[];
  /** How many jobs one worker is expected to take. */
  readonly concurrency: number;
  /** Looks at once. */
  readonly look: () => void;
  readonly isFree: () => boolean;
  readonly send: (hints: readonly Hint[]) => void;
}

/** The shortest time between the looks of two workers: a claim and a message, with a wide margin. */
const stepMs = 10;
/** Where the store is slow, that many times the duration of a look. */
const stepLooks = 3;
/**
 * The longest wait for a turn, whatever a worker's rank, unless one step alone takes longer: when that many workers did not look, a
 * few looks that find nothing cost less than the time.
 */
const longestTurnMs = 100;
/** However slow the store is. */
const longestStepMs = 1_000;
/** The weight of the latest look in the average duration of looks. */
const latestLookWeight = 0.2;

interface State extends LookOrderOptions {
  readonly queues: Map<string, Queue>;
  isLooking: boolean;
  /** The average duration of a look. */
  lookMs: number;
}

/** What is known of one type. */
interface Queue {
  readonly typeName: string;
  /** Workers that wait for its jobs, this one included. */
  readonly workers: WaitingWorkers;
  /** Jobs that hints announced, and that no worker is known to have taken. */
  announced: number;
  /** Of these, the jobs announced since this worker last began to look. */
  announcedSinceLook: number;
  /** When the last hint came. */
  hintAt: number;
  /** Determines the order of the workers. */
  draw: number;
  timer: Timer | undefined;
}

export function createLookOrder(options: LookOrderOptions): LookOrder {
  const { typeNames, workerId } = options;
  const queues = new Map(typeNames.map((typeName) => [typeName, createQueue(typeName, workerId)]));
  const state: State = { ...options, queues, isLooking: false, lookMs: 0 };
  return {
    ready: (hint) => noteReady(state, hint),
    taken: (hint) => noteTaken(state, hint),
    left(id) {
      if (id !== workerId) for (const { workers } of queues.values()) workers.leave(id);
    },
    begin() {
      const startedAt = state.clock.now();
      state.isLooking = true;
      for (const queue of queues.values()) queue.announcedSinceLook = 0;
      return (found) => {
        state.isLooking = false;
        state.lookMs += latestLookWeight * (state.clock.now() - startedAt - state.lookMs);
        noteFound(state, found);
      };
    },
    greet: () => greet(state, typeNames),
    leave() {
      for (const queue of queues.values()) queue.timer?.cancel();
      queues.clear();
      state.send([{ kind: "left", workerId }]);
    },
  };
}

function noteReady(state: State, { typeName, count, draw = 0 }: Ready): void {
  const queue = state.queues.get(typeName);
  if (queue === undefined || count < 1) return;
  queue.hintAt = state.clock.now();
  queue.draw = draw;
  queue.announced += count;
  queue.announcedSinceLook += count;
  scheduleLook(state, queue);
}

function noteTaken(state: State, { typeName, workerId, count }: Taken): void {
  const queue = state.queues.get(typeName);
  if (queue === undefined || workerId === state.workerId) return;
  if (count > 0) noteMissedTurns(state, queue, workerId);
  queue.workers.join(workerId);
  queue.announced = Math.max(0, queue.announced - count);
  scheduleLook(state, queue);
}

/** If nothing was left, all jobs announced before the look have been claimed by now. */
function noteFound(state: State, { typeNames, dry }: Found): void {
  const counts = new Map<string, number>();
  for (const typeName of typeNames) counts.set(typeName, (counts.get(typeName) ?? 0) + 1);
  for (const queue of state.queues.values()) {
    const { typeName, announced, announcedSinceLook, workers } = queue;
    const count = counts.get(typeName) ?? 0;
    if (count === 0 && announced === 0) continue;
    if (count > 0) noteMissedTurns(state, queue, state.workerId);
    queue.announced = Math.min(Math.max(0, announced - count), dry ? announcedSinceLook : Infinity);
    if (count > 0 && workers.size() > 1) state.send([{ kind: "taken", workerId: state.workerId, typeName, count }]);
    scheduleLook(state, queue);
  }
}

/** Looks at once, or when this worker's turn comes, or not at all if no announced jobs are left. */
function scheduleLook(state: State, queue: Queue): void {
  queue.timer?.cancel();
  queue.timer = undefined;
  if (queue.announced === 0 || state.isLooking) return;
  // While all slots are taken this only notes that there is something to look for.
  if (!state.isFree()) return state.look();
  const turn = queue.workers.rankOf(state.workerId, queue.draw) - neededWorkers(state, queue) + 1;
  if (turn <= 0) look(state);
  else queue.timer = state.clock.setTimer(() => look(state), waitFor(turn, stepOf(state)));
}

function stepOf({ lookMs }: State): number {
  return Math.min(longestStepMs, Math.max(stepMs, stepLooks * lookMs));
}

function waitFor(turn: number, step: number): number {
  return Math.min(turn * step, Math.max(longestTurnMs, step));
}

function look(state: State): void {
  state.isLooking = true;
  state.look();
}

function neededWorkers(state: State, queue: Queue): number {
  return Math.ceil(queue.announced / state.concurrency);
}

/** A worker took jobs: the workers that should have looked at least one turn before it have missed a turn. */
function noteMissedTurns(state: State, queue: Queue, takerId: string): void {
  const { workerId, clock } = state;
  const { workers, draw } = queue;
  if (queue.announced === 0 || clock.now() - queue.hintAt < stepOf(state)) return;
  const lastMissed = workers.rankOf(takerId, draw) - neededWorkers(state, queue);
  if (lastMissed < 0) return;
  workers.missTurn(lastMissed, takerId, draw);
  if (workers.has(workerId)) return;
  // By now the others have removed this worker from the order.
  workers.join(workerId);
  greet(state, [queue.typeName]);
}

function greet(state: State, typeNames: readonly string[]): void {
  const { workerId } = state;
  state.send(typeNames.map((typeName) => ({ kind: "taken", workerId, typeName, count: 0 })));
}

function createQueue(typeName: string, workerId: string): Queue {
  const workers = createWaitingWorkers();
  workers.join(workerId);
  return { typeName, workers, announced: 0, announcedSinceLook: 0, hintAt: 0, draw: 0, timer: undefined };
}
