import type { Clock, Timer } from "../ports/clock.ts";
import type { Hint } from "../ports/notify.ts";
import { createMembers, type Members } from "./waiting-workers.ts";

type Ready = Extract<Hint, { readonly kind: "ready" }>;
type Taken = Extract<Hint, { readonly kind: "taken" }>;

/**
 * Who looks when jobs become ready. Every worker hears of them; as many look at once as the jobs need, in an order that follows
 * from the hint and is the same for all who heard it. The others are next, a little later each, unless they hear that the jobs
 * were taken. What goes wrong costs that little time, or one look that finds nothing.
 */
export interface Turns {
  /** Jobs became ready. */
  ready(hint: Ready): void;
  /** Another worker took some, or says that it waits for them. */
  taken(hint: Taken): void;
  /** Another worker waits no more. */
  left(workerId: string): void;
  /** This worker looks. Returns a function that takes what it found; it is not called when the store is away. */
  begin(): (found: Found) => void;
  /** Says that this worker waits for jobs. */
  greet(): void;
  /** Says that it waits no more. */
  leave(): void;
}

export interface Found {
  /** The types of the jobs claimed, one for each; not of those that the same round trip made ready: nobody heard of them. */
  readonly typeNames: readonly string[];
  /** Whether nothing was left. */
  readonly dry: boolean;
}

export interface TurnsOptions {
  readonly clock: Clock;
  readonly workerId: string;
  readonly typeNames: readonly string[];
  /** How many jobs one worker is thought to take. */
  readonly concurrency: number;
  /** Looks at once. */
  readonly look: () => void;
  readonly isFree: () => boolean;
  readonly tell: (hints: readonly Hint[]) => void;
}

/** The shortest time between one worker's turn and the next one's: a claim and a message, with a good deal to spare. */
const stepMs = 10;
/** Where the store is slow, that many times what a look takes. */
const stepLooks = 3;
/**
 * The longest wait for a turn, whatever a worker's rank, unless one step alone takes longer: when that many workers did not come, a
 * few looks that find nothing cost less than the time.
 */
const longestTurnMs = 100;
/** However slow the store is. */
const longestStepMs = 1_000;
/** What the latest look weighs in the time that looks are said to take. */
const newest = 0.2;
interface State extends TurnsOptions {
  readonly queues: Map<string, Queue>;
  isLooking: boolean;
  lookMs: number;
}

/** What is known of one type. */
interface Queue {
  readonly typeName: string;
  /** Workers that wait for its jobs, this one included. */
  readonly members: Members;
  /** Jobs that were heard of, and that nobody was heard to take. */
  owed: number;
  /** Of these, the ones heard of since this worker last began to look. */
  fresh: number;
  /** When the last hint came. */
  heardAt: number;
  /** Decides whose turn it is. */
  draw: number;
  timer: Timer | undefined;
}

export function createTurns(options: TurnsOptions): Turns {
  const { typeNames, workerId } = options;
  const queues = new Map(typeNames.map((typeName) => [typeName, createQueue(typeName, workerId)]));
  const state: State = { ...options, queues, isLooking: false, lookMs: 0 };
  return {
    ready: (hint) => hearReady(state, hint),
    taken: (hint) => hearTaken(state, hint),
    left(id) {
      if (id !== workerId) for (const { members } of queues.values()) members.leave(id);
    },
    begin() {
      const startedAt = state.clock.now();
      state.isLooking = true;
      for (const queue of queues.values()) queue.fresh = 0;
      return (found) => {
        state.isLooking = false;
        state.lookMs += newest * (state.clock.now() - startedAt - state.lookMs);
        tellFound(state, found);
      };
    },
    greet: () => greet(state, typeNames),
    leave() {
      for (const queue of queues.values()) queue.timer?.cancel();
      queues.clear();
      state.tell([{ kind: "left", workerId }]);
    },
  };
}

function hearReady(state: State, { typeName, count, draw = 0 }: Ready): void {
  const queue = state.queues.get(typeName);
  if (queue === undefined || count < 1) return;
  queue.heardAt = state.clock.now();
  queue.draw = draw;
  queue.owed += count;
  queue.fresh += count;
  consider(state, queue);
}

function hearTaken(state: State, { typeName, workerId, count }: Taken): void {
  const queue = state.queues.get(typeName);
  if (queue === undefined || workerId === state.workerId) return;
  if (count > 0) passBy(state, queue, workerId);
  queue.members.join(workerId);
  queue.owed = Math.max(0, queue.owed - count);
  consider(state, queue);
}

/** When nothing was left, all that was heard of before the look is taken now, or was taken before. */
function tellFound(state: State, { typeNames, dry }: Found): void {
  const counts = new Map<string, number>();
  for (const typeName of typeNames) counts.set(typeName, (counts.get(typeName) ?? 0) + 1);
  for (const queue of state.queues.values()) {
    const { typeName, owed, fresh, members } = queue;
    const count = counts.get(typeName) ?? 0;
    if (count === 0 && owed === 0) continue;
    if (count > 0) passBy(state, queue, state.workerId);
    queue.owed = Math.min(Math.max(0, owed - count), dry ? fresh : Infinity);
    if (count > 0 && members.size() > 1) state.tell([{ kind: "taken", workerId: state.workerId, typeName, count }]);
    consider(state, queue);
  }
}

function consider(state: State, queue: Queue): void {
  queue.timer?.cancel();
  queue.timer = undefined;
  if (queue.owed === 0 || state.isLooking) return;
  // With all slots taken this only notes that there is something to look for.
  if (!state.isFree()) return state.look();
  const turn = queue.members.rankOf(state.workerId, queue.draw) - wantedFor(state, queue) + 1;
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

function wantedFor(state: State, queue: Queue): number {
  return Math.ceil(queue.owed / state.concurrency);
}

/** Somebody took jobs: those who should have come a turn earlier, or before that, have let it pass. */
function passBy(state: State, queue: Queue, takerId: string): void {
  const { workerId, clock } = state;
  const { members, draw } = queue;
  if (queue.owed === 0 || clock.now() - queue.heardAt < stepOf(state)) return;
  const lastPassed = members.rankOf(takerId, draw) - wantedFor(state, queue);
  if (lastPassed < 0) return;
  members.letPass(lastPassed, takerId, draw);
  if (members.has(workerId)) return;
  // By now the others think that this one is gone.
  members.join(workerId);
  greet(state, [queue.typeName]);
}

function greet(state: State, typeNames: readonly string[]): void {
  const { workerId } = state;
  state.tell(typeNames.map((typeName) => ({ kind: "taken", workerId, typeName, count: 0 })));
}

function createQueue(typeName: string, workerId: string): Queue {
  const members = createMembers();
  members.join(workerId);
  return { typeName, members, owed: 0, fresh: 0, heardAt: 0, draw: 0, timer: undefined };
}
