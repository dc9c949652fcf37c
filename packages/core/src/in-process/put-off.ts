import { createLazyHeap, enterHeap, leaveHeap, takeUpTo } from "./lazy-heap.ts";
import type { LazyHeap } from "./lazy-heap.ts";

/** Items that are not looked at before their moment, each at most once. */
export interface PutOff<T> {
  readonly moments: Map<T, number>;
  readonly heap: LazyHeap<T>;
}

export function createPutOff<T>(): PutOff<T> {
  const moments = new Map<T, number>();
  return { moments, heap: createLazyHeap((item, at) => moments.get(item) === at) };
}

export function putOff<T>(store: PutOff<T>, item: T, at: number): void {
  recall(store, item);
  store.moments.set(item, at);
  enterHeap(store.heap, at, item);
}

/** Takes an item out before its moment; reports whether it was there. */
export function recall<T>(store: PutOff<T>, item: T): boolean {
  if (!store.moments.delete(item)) return false;
  leaveHeap(store.heap);
  return true;
}

/** Called with an item that is due. */
export function takeDue<T>(store: PutOff<T>, now: number): T | undefined {
  const item = takeUpTo(store.heap, now);
  if (item === undefined) return undefined;
  store.moments.delete(item);
  leaveHeap(store.heap);
  return item;
}
