import { createHeap, keepInHeap, popHeap, pushHeap } from "./heap.ts";
import type { Heap } from "./heap.ts";

/**
 * A heap whose items are not taken out when they move on elsewhere: an entry that is `valid` no more is dropped when it comes
 * to the top, or with all others when more than half of them are stale.
 */
export interface LazyHeap<T> extends Heap<T> {
  readonly valid: (item: T, key: number) => boolean;
  /** How many items belong here; the rest of the entries are stale. */
  live: number;
}

/** Stale entries that are cheaper to keep than to look for. */
const slack = 64;

export function createLazyHeap<T>(valid: (item: T, key: number) => boolean): LazyHeap<T> {
  return { ...createHeap<T>(), valid, live: 0 };
}

export function enterHeap<T>(heap: LazyHeap<T>, key: number, item: T): void {
  heap.live += 1;
  pushHeap(heap, key, item);
}

/** Says that an item moved on; its entry stays behind, or has been taken before. */
export function leaveHeap<T>(heap: LazyHeap<T>): void {
  heap.live -= 1;
  if (heap.items.length <= 2 * heap.live + slack) return;
  // An item that left and came back with the same key has two entries.
  const seen = new Set<T>();
  keepInHeap(heap, (item, key) => heap.valid(item, key) && !seen.has(item) && seen.add(item) === seen);
}

/** The smallest key of a valid entry. */
export function peekKey<T>(heap: LazyHeap<T>): number | undefined {
  for (;;) {
    const key = heap.keys[0];
    const item = heap.items[0];
    if (key === undefined || item === undefined || heap.valid(item, key)) return key;
    popHeap(heap);
  }
}

/** Takes the valid entry with the smallest key, if that is at most `limit`; the item still counts as one that belongs here. */
export function takeUpTo<T>(heap: LazyHeap<T>, limit: number): T | undefined {
  const key = peekKey(heap);
  return key === undefined || key > limit ? undefined : popHeap(heap);
}
