import type { Clock, Timer } from "../ports/clock.ts";
import type { Hint } from "../ports/notify.ts";
import { drawOf, mixed } from "../engine/draw.ts";

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
  /** This worker looks; answers how to tell what came of it, which is not done when the store is away. */
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
/** What the latest look weighs in the time that looks are said to take. */
const newest = 0.2;
/** Turns that a worker lets pass in silence before it counts as gone. */
const mostMissed = 3;

interface State extends TurnsOptions {
  readonly queues: Map<string, Queue>;
  /** Hints heard so far. */
  heard: number;
  isLooking: boolean;
  lookMs: number;
}

/** What is known of one type. */
interface Queue {
  readonly typeName: string;
  /** Workers that wait for its jobs, this one included. */
  readonly members: Map<string, Member>;
  /** Jobs that were heard of, and that nobody was heard to take. */
  owed: number;
  /** Which hint was the last, and when it came. */
  heard: number;
  heardAt: number;
  /** Decides whose turn it is. */
  draw: number;
  timer: Timer | undefined;
}

interface Member {
  readonly code: number;
  /** Turns it let pass since it was last heard. */
  missed: number;
}

export function createTurns(options: TurnsOptions): Turns {
  const { typeNames, workerId } = options;
  const queues = new Map(typeNames.map((typeName) => [typeName, createQueue(typeName, workerId)]));
  const state: State = { ...options, queues, heard: 0, isLooking: false, lookMs: 0 };
  return {
    ready: (hint) => hearReady(state, hint),
    taken: (hint) => hearTaken(state, hint),
    left(id) {
      if (id !== workerId) for (const { members } of queues.values()) members.delete(id);
    },
    begin() {
      const { heard } = state;
      const startedAt = state.clock.now();
      state.isLooking = true;
      return (found) => {
        state.isLooking = false;
        state.lookMs += newest * (state.clock.now() - startedAt - state.lookMs);
        tellFound(state, found, heard);
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
  state.heard += 1;
  queue.heard = state.heard;
  queue.heardAt = state.clock.now();
  queue.draw = draw;
  queue.owed += count;
  consider(state, queue);
}

function hearTaken(state: State, { typeName, workerId, count }: Taken): void {
  const queue = state.queues.get(typeName);
  if (queue === undefined || workerId === state.workerId) return;
  if (count > 0) passBy(state, queue, workerId);
  join(queue, workerId);
  queue.owed = Math.max(0, queue.owed - count);
  consider(state, queue);
}

/** @param heardBefore hints that had been heard when it began to look: what they told of is taken now, or was there no more. */
function tellFound(state: State, { typeNames, dry }: Found, heardBefore: number): void {
  const counts = new Map<string, number>();
  for (const typeName of typeNames) counts.set(typeName, (counts.get(typeName) ?? 0) + 1);
  for (const queue of state.queues.values()) {
    const { typeName, owed, heard, members } = queue;
    const count = counts.get(typeName) ?? 0;
    if (count === 0 && owed === 0) continue;
    if (count > 0) passBy(state, queue, state.workerId);
    queue.owed = dry && heard <= heardBefore ? 0 : Math.max(0, owed - count);
    if (count > 0 && members.size > 1) state.tell([{ kind: "taken", workerId: state.workerId, typeName, count }]);
    consider(state, queue);
  }
}

function consider(state: State, queue: Queue): void {
  queue.timer?.cancel();
  queue.timer = undefined;
  if (queue.owed === 0 || state.isLooking) return;
  // With all slots taken this only notes that there is something to look for.
  if (!state.isFree()) return state.look();
  const turn = rankOf(queue, state.workerId) - wantedFor(state, queue) + 1;
  if (turn <= 0) look(state);
  else queue.timer = state.clock.setTimer(() => look(state), turn * stepOf(state));
}

function stepOf({ lookMs }: State): number {
  return Math.max(stepMs, stepLooks * lookMs);
}

function look(state: State): void {
  state.isLooking = true;
  state.look();
}

function wantedFor(state: State, queue: Queue): number {
  return Math.ceil(queue.owed / state.concurrency);
}

/** How many others come before a worker. */
function rankOf({ members, draw }: Queue, id: string): number {
  const own = mixed(draw, members.get(id)?.code ?? drawOf(id));
  let rank = 0;
  for (const { code } of members.values()) if (mixed(draw, code) < own) rank += 1;
  return rank;
}

/** Somebody took jobs: those who should have come a turn earlier, or before that, have let it pass. */
function passBy(state: State, queue: Queue, takerId: string): void {
  const { workerId, clock } = state;
  const lastPassed = rankOf(queue, takerId) - wantedFor(state, queue);
  if (queue.owed === 0 || lastPassed < 0 || clock.now() - queue.heardAt < stepOf(state)) return;
  for (const [id, member] of queue.members) {
    if (id === takerId || rankOf(queue, id) > lastPassed) continue;
    member.missed += 1;
    if (member.missed >= mostMissed) queue.members.delete(id);
  }
  if (queue.members.has(workerId)) return;
  // By now the others think that this one is gone.
  join(queue, workerId);
  greet(state, [queue.typeName]);
}

function join({ members }: Queue, id: string): void {
  members.set(id, { code: drawOf(id), missed: 0 });
}

function greet(state: State, typeNames: readonly string[]): void {
  const { workerId } = state;
  state.tell(typeNames.map((typeName) => ({ kind: "taken", workerId, typeName, count: 0 })));
}

function createQueue(typeName: string, workerId: string): Queue {
  const queue: Queue = { typeName, members: new Map(), owed: 0, heard: 0, heardAt: 0, draw: 0, timer: undefined };
  join(queue, workerId);
  return queue;
}
