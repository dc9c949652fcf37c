import type { Clock } from "../ports/clock.ts";
import { createDeadlines, type Deadlines } from "../timing/deadlines.ts";

/** Jobs that one call of a handler is to get. */
export interface Group<Item> {
  readonly items: readonly Item[];
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
  readonly ready: readonly Group<Item>[];
  readonly size: number;
  count(typeName: string): number;
  items(): Iterable<Item>;
  /** Takes in a job. Until its place is known it is in no group; one that is removed meanwhile stays away. */
  add(item: Item, typeName: string, place: Place | Promise<Place>): void;
  /** The group that has such a job: how many it has and may have, and when it is ready at the latest. */
  groupOf(which: (item: Item) => boolean): GroupState | undefined;
  /** Takes out the next group that is ready. */
  next(): readonly Item[] | undefined;
  /** Takes out these jobs. */
  remove(which: (item: Item) => boolean): readonly Item[];
  stop(): void;
}

interface GroupState {
  readonly count: number;
  readonly size: number;
  /** Undefined: it is ready. */
  readonly readyAt: number | undefined;
}

interface Growing<Item> extends Group<Item> {
  items: Item[];
  readonly key: string;
  readonly size: number;
  readonly typeName: string;
  readonly readyAt: number;
}

interface State<Item> {
  /** Those whose place is not known yet, with their types. */
  readonly unplaced: Map<Item, string>;
  readonly growing: Map<string, Growing<Item>>;
  readonly ready: Growing<Item>[];
  readonly counts: Map<string, number>;
  readonly deadlines: Deadlines<Growing<Item>>;
  readonly now: () => number;
  readonly onReady: () => void;
}

/** @param onReady called when a group has become ready */
export function createGathering<Item>(clock: Clock, onReady: () => void): Gathering<Item> {
  const state: State<Item> = {
    unplaced: new Map(),
    growing: new Map(),
    ready: [],
    counts: new Map(),
    deadlines: createDeadlines<Growing<Item>>(clock, (group) => makeReady(state, group)),
    now: () => clock.now(),
    onReady,
  };
  const { unplaced, growing, ready, counts } = state;
  return {
    ready,
    get size() {
      let size = 0;
      for (const count of counts.values()) size += count;
      return size;
    },
    count: (typeName) => counts.get(typeName) ?? 0,
    *items() {
      yield* unplaced.keys();
      for (const { items } of growing.values()) yield* items;
      for (const { items } of ready) yield* items;
    },
    add(item, typeName, place) {
      note(state, typeName, 1);
      if (!(place instanceof Promise)) return join(state, { item, typeName }, place);
      unplaced.set(item, typeName);
      void place.then((known) => {
        if (unplaced.delete(item)) join(state, { item, typeName }, known);
      });
    },
    groupOf(which) {
      const find = (groups: Iterable<Growing<Item>>) => [...groups].find(({ items }) => items.some(which));
      const growingOne = find(growing.values());
      const group = growingOne ?? find(ready);
      return group && { count: group.items.length, size: group.size, readyAt: growingOne?.readyAt };
    },
    next() {
      const group = ready.shift();
      if (group !== undefined) note(state, group.typeName, -group.items.length);
      return group?.items;
    },
    remove: (which) => removeFrom(state, which),
    stop: () => state.deadlines.clear(),
  };
}

function note<Item>({ counts }: State<Item>, typeName: string, change: number): void {
  counts.set(typeName, (counts.get(typeName) ?? 0) + change);
}

function join<Item>(
  state: State<Item>,
  { item, typeName }: { readonly item: Item; readonly typeName: string },
  { key, size, maxWaitMs, isSuspect }: Place,
): void {
  const { growing, deadlines } = state;
  const known = growing.get(key);
  const group = known ?? { items: [], isSuspect, key, size, typeName, readyAt: state.now() + maxWaitMs };
  group.items.push(item);
  if (group.items.length >= size) return makeReady(state, group);
  if (known !== undefined) return;
  growing.set(key, group);
  deadlines.add(group, group.readyAt);
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

function removeFrom<Item>(state: State<Item>, which: (item: Item) => boolean): readonly Item[] {
  const { unplaced, growing, ready } = state;
  const removed: Item[] = [];
  for (const [item, typeName] of unplaced) {
    if (!which(item)) continue;
    unplaced.delete(item);
    note(state, typeName, -1);
    removed.push(item);
  }
  for (const group of [...growing.values(), ...ready]) {
    const [leaving, staying] = split(group.items, which);
    if (leaving.length === 0) continue;
    group.items = staying;
    note(state, group.typeName, -leaving.length);
    for (const item of leaving) removed.push(item);
    if (staying.length > 0) continue;
    close(state, group);
    const at = ready.indexOf(group);
    if (at >= 0) ready.splice(at, 1);
  }
  return removed;
}

function split<Item>(items: readonly Item[], which: (item: Item) => boolean): readonly [readonly Item[], Item[]] {
  const leaving: Item[] = [];
  const staying: Item[] = [];
  for (const item of items) (which(item) ? leaving : staying).push(item);
  return [leaving, staying];
}
