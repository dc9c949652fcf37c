import type { Clock } from "../ports/clock.ts";
import { createDeadlines, type Deadlines } from "../timing/deadlines.ts";

/** Jobs that one call of a handler is to get. */
export interface Group<Item> {
  readonly items: Item[];
  readonly isSuspect: boolean;
}

/** Where a job gathers: only jobs with the same key get into one group. */
export interface Place {
  readonly key: string;
  /** The group is ready when it has so many items. */
  readonly size: number;
  /** It is ready so long after its first item at the latest. */
  readonly maxWaitMs: number;
  readonly isSuspect: boolean;
}

/** The claimed jobs of a worker that wait for others, until their group is full or old. */
export interface Gathering<Item> {
  /** Groups that wait for a slot. Suspects are last. */
  readonly ready: Group<Item>[];
  readonly size: number;
  count(typeName: string): number;
  items(): Iterable<Item>;
  /** Takes in a job whose place is not known yet. */
  hold(item: Item, typeName: string): void;
  /** Puts a job that is held into its group. One that was removed meanwhile stays away. */
  place(item: Item, place: Place): void;
  /** Takes out the next group that is ready. */
  next(): readonly Item[] | undefined;
  /** Takes out these jobs. */
  remove(which: (item: Item) => boolean): readonly Item[];
  stop(): void;
}

interface Growing<Item> extends Group<Item>, Place {}

interface State<Item> {
  readonly held: Map<Item, { readonly typeName: string; group: Growing<Item> | undefined }>;
  readonly counts: Map<string, number>;
  readonly growing: Map<string, Growing<Item>>;
  readonly ready: Growing<Item>[];
  readonly deadlines: Deadlines<Growing<Item>>;
  readonly now: () => number;
  readonly onReady: () => void;
}

/** @param onReady called when a group has become ready */
export function createGathering<Item>(clock: Clock, onReady: () => void): Gathering<Item> {
  const state: State<Item> = {
    held: new Map(),
    counts: new Map(),
    growing: new Map(),
    ready: [],
    deadlines: createDeadlines<Growing<Item>>(clock, (group) => makeReady(state, group)),
    now: () => clock.now(),
    onReady,
  };
  const { held, counts, ready } = state;
  return {
    ready,
    get size() {
      return held.size;
    },
    count: (typeName) => counts.get(typeName) ?? 0,
    items: () => held.keys(),
    hold(item, typeName) {
      held.set(item, { typeName, group: undefined });
      counts.set(typeName, (counts.get(typeName) ?? 0) + 1);
    },
    place: (item, place) => join(state, item, place),
    next() {
      const group = ready.shift();
      if (group === undefined) return undefined;
      for (const item of group.items) forget(state, item);
      return group.items;
    },
    remove(which) {
      const removed = [...held].filter(([item]) => which(item));
      for (const [item, { group }] of removed) {
        leave(state, item, group);
        forget(state, item);
      }
      return removed.map(([item]) => item);
    },
    stop: () => state.deadlines.clear(),
  };
}

function join<Item>(state: State<Item>, item: Item, place: Place): void {
  const { held, growing, deadlines } = state;
  const entry = held.get(item);
  if (entry === undefined) return;
  const group = growing.get(place.key) ?? { ...place, items: [] };
  group.items.push(item);
  entry.group = group;
  if (group.items.length >= group.size) return makeReady(state, group);
  if (group.items.length > 1) return;
  growing.set(group.key, group);
  deadlines.add(group, state.now() + group.maxWaitMs);
}

function makeReady<Item>(state: State<Item>, group: Growing<Item>): void {
  const { ready } = state;
  close(state, group);
  const suspects = group.isSuspect ? -1 : ready.findIndex(({ isSuspect }) => isSuspect);
  ready.splice(suspects < 0 ? ready.length : suspects, 0, group);
  state.onReady();
}

function close<Item>({ growing, deadlines }: State<Item>, group: Growing<Item>): void {
  deadlines.remove(group);
  if (growing.get(group.key) === group) growing.delete(group.key);
}

function forget<Item>({ held, counts }: State<Item>, item: Item): void {
  const typeName = held.get(item)?.typeName;
  if (typeName === undefined) return;
  held.delete(item);
  counts.set(typeName, (counts.get(typeName) ?? 0) - 1);
}

function leave<Item>(state: State<Item>, item: Item, group: Growing<Item> | undefined): void {
  if (group === undefined) return;
  group.items.splice(group.items.indexOf(item), 1);
  if (group.items.length > 0) return;
  close(state, group);
  const at = state.ready.indexOf(group);
  if (at >= 0) state.ready.splice(at, 1);
}
