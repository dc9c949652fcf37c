import type { Clock, Timer } from "../ports/clock.ts";
import type { Hint } from "../ports/notify.ts";
import { createDueHints, type DueHints } from "./due-hints.ts";
import { createWaitingWorkers, type WaitingWorkers } from "./waiting-workers.ts";

type Ready = Extract<Hint, { readonly kind: "ready" }>;
type Taken = Extract<Hint, { readonly kind: "taken" }>;

/**
 * Which workers look when jobs become ready. All workers receive the hint; as many look at once as the jobs need. They are the
 * first in an order that is computed from the hint, and that is the same in all processes. Unless the others hear that the jobs
 * were taken, one more looks a step later, two more after the next step, then four, and so on: so a job that only the last of 50
 * workers can take waits for six steps. A wrong order costs that short time, or one look that finds nothing.
 */
export interface LookOrder {
  /** Jobs became ready, or will be due. */
  ready(hint: Ready): void;
  /**
   * Another worker took jobs, or announces that it waits for them. Returns whether that worker handles all types of this one: then it
   * has taken what is due here, whatever its type.
   */
  taken(hint: Taken): boolean;
  /** Another worker no longer waits. */
  left(workerId: string): void;
  /** This worker looks. Returns a function to call with what it found, unless the store could not be reached. */
  begin(): (found: Found) => void;
  /** How long a worker waits that knows by itself when a job is due: so that they do not all look at the same moment. */
  dueSpreadMs(): number;
  /** How many other workers wait for jobs of one of its types, at most. */
  others(): number;
  /** Announces that this worker waits for jobs. */
  greet(): void;
  /** Announces that it no longer waits. */
  leave(): void;
}

export interface Found {
  /**
   * The claim names of the claimed jobs, one for each job; without the jobs that the same round trip made ready, because no hint
   * announced those.
   */
  readonly typeNames: readonly string[];
  /** Whether nothing was left. */
  readonly dry: boolean;
  /** Whether a job was due, which hints may not have announced. */
  readonly wasDue: boolean;
}

export interface LookOrderOptions {
  readonly clock: Clock;
  readonly workerId: string;
  /** The names that it claims. */
  readonly typeNames: readonly string[];
  /** How many jobs one worker is expected to take. */
  readonly concurrency: number;
  /** Looks at once. */
  readonly look: () => void;
  readonly isFree: () => boolean;
  readonly send: (hints: readonly Hint[]) => void;
}

/** How much longer each other worker makes the time in which they look for a due job: about the time of a claim and a message. */
const dueSpreadMs = 2;
/** The shortest step: a claim and a message, with a margin. */
const stepMs = 3;
/** Where the store is slow, that many times the duration of a look. */
const stepLooks = 2;
/**
 * The longest wait for a turn, whatever a worker's rank, unless one step alone takes longer: when that many workers did not look, a
 * few looks that find nothing cost less than the time.
 */
const longestTurnMs = 100;
/** However slow the store is. */
const longestStepMs = 1_000;
/** How long a look takes before one was measured. */
const firstLookMs = 2;
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
  /** Announced jobs that this worker knows to be taken, and the others may not know. */
  unreported: number;
  readonly due: DueHints;
  /** When the last hint came. */
  hintAt: number;
  /** Determines the order of the workers. */
  draw: number;
  timer: Timer | undefined;
}

export function createLookOrder(options: LookOrderOptions): LookOrder {
  const { typeNames, workerId } = options;
  const queues = new Map<string, Queue>();
  const state: State = { ...options, queues, isLooking: false, lookMs: firstLookMs };
  for (const typeName of typeNames) queues.set(typeName, createQueue(state, typeName));
  return {
    ready: ({ dueInMs, ...hint }) =>
      dueInMs === undefined ? noteReady(state, hint) : queues.get(hint.typeName)?.due.add(hint, dueInMs),
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
    others: () => countOthers(state),
    dueSpreadMs: () => state.clock.random() * Math.min(countOthers(state) * dueSpreadMs, longestTurnMs),
    greet: () => greet(state, typeNames),
    leave() {
      for (const { timer, due } of queues.values()) {
        timer?.cancel();
        due.clear();
      }
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

function noteTaken(state: State, { typeName, workerId, count }: Taken): boolean {
  const queue = state.queues.get(typeName);
  if (queue === undefined || workerId === state.workerId) return false;
  if (count > 0) noteMissedTurns(state, queue, workerId);
  queue.workers.join(workerId);
  const known = Math.min(count, queue.announced);
  if (count > known) queue.due.taken(count - known);
  queue.announced -= known;
  scheduleLook(state, queue);
  return [...state.queues.values()].every(({ workers }) => workers.has(workerId));
}

/**
 * If nothing was left, all jobs announced before the look have been claimed by now. Only then the others have to know: as long as
 * something is left, they find work as well.
 */
function noteFound(state: State, { typeNames, dry, wasDue }: Found): void {
  const counts = new Map<string, number>();
  for (const typeName of typeNames) counts.set(typeName, (counts.get(typeName) ?? 0) + 1);
  for (const queue of state.queues.values()) {
    const { typeName, announced, announcedSinceLook } = queue;
    const count = counts.get(typeName) ?? 0;
    if (count > 0) noteMissedTurns(state, queue, state.workerId);
    queue.unreported += Math.min(announced, count);
    queue.announced = Math.min(Math.max(0, announced - count), dry ? announcedSinceLook : Infinity);
    if (dry) report(state, queue, wasDue && count > 0);
    if (announced > 0) scheduleLook(state, queue);
  }
}

/** Reports what this worker took of the announced jobs, or that it took one that was due, and that it waits for more. */
function report(state: State, queue: Queue, tookDue: boolean): void {
  const { typeName, unreported: count, workers } = queue;
  const { workerId } = state;
  queue.unreported = 0;
  const isKnown = workers.has(workerId);
  if (!isKnown) workers.join(workerId);
  const isNews = count > 0 || tookDue || !isKnown;
  if (workers.size() > 1 && isNews) state.send([{ kind: "taken", workerId, typeName, count }]);
}

function countOthers({ queues }: State): number {
  return Math.max(0, ...Array.from(queues.values(), ({ workers }) => workers.size() - 1));
}

/** Looks at once, or when this worker's turn comes, or not at all if no announced jobs are left. */
function scheduleLook(state: State, queue: Queue): void {
  queue.timer?.cancel();
  queue.timer = undefined;
  if (queue.announced === 0 || state.isLooking) return;
  // While all slots are taken this only notes that there is something to look for.
  if (!state.isFree()) return state.look();
  const places = queue.workers.rankOf(state.workerId, queue.draw) - neededWorkers(state, queue) + 1;
  if (places <= 0) look(state);
  else queue.timer = state.clock.setTimer(() => look(state), waitFor(places, stepOf(state)));
}

function stepOf({ lookMs }: State): number {
  return Math.min(longestStepMs, Math.max(stepMs, stepLooks * lookMs));
}

/** How long a worker waits that is so many places behind those that look at once. */
function waitFor(places: number, step: number): number {
  return Math.min(stepsFor(places) * step, Math.max(longestTurnMs, step));
}

/** After each step twice as many workers look. */
function stepsFor(places: number): number {
  return Math.ceil(Math.log2(places + 1));
}

function look(state: State): void {
  state.isLooking = true;
  state.look();
}

function neededWorkers(state: State, queue: Queue): number {
  return Math.ceil(queue.announced / state.concurrency);
}

/** A worker took jobs: the workers that should have looked at least one step before it have missed a turn. */
function noteMissedTurns(state: State, queue: Queue, takerId: string): void {
  const { workerId, clock } = state;
  const { workers, draw } = queue;
  if (queue.announced === 0 || clock.now() - queue.hintAt < stepOf(state)) return;
  const places = workers.rankOf(takerId, draw) - neededWorkers(state, queue) + 1;
  if (places <= 0) return;
  workers.missTurn(2 ** (stepsFor(places) - 1) - 1, takerId, draw);
  // The others have removed this worker from the order as well. A busy one announces itself when it waits again.
  if (workers.has(workerId) || !state.isFree()) return;
  workers.join(workerId);
  greet(state, [queue.typeName]);
}

function greet(state: State, typeNames: readonly string[]): void {
  const { workerId } = state;
  state.send(typeNames.map((typeName) => ({ kind: "taken", workerId, typeName, count: 0 })));
}

function createQueue(state: State, typeName: string): Queue {
  const workers = createWaitingWorkers();
  workers.join(state.workerId);
  return {
    typeName,
    workers,
    announced: 0,
    announcedSinceLook: 0,
    unreported: 0,
    due: createDueHints(state.clock, (hint) => noteReady(state, hint)),
    hintAt: 0,
    draw: 0,
    timer: undefined,
  };
}
