import { enterHeap, leaveHeap } from "./lazy-heap.ts";
import type { DeduplicationRow } from "./row-types.ts";
import type { Store } from "./store.ts";

/** The row that holds a key now. */
export function holderOf(store: Store, key: string, now: number): DeduplicationRow | undefined {
  const row = store.deduplications.get(key);
  return row === undefined || hasPassed(row, now) ? undefined : row;
}

export function hasPassed(row: DeduplicationRow, now: number): boolean {
  return row.until !== undefined && row.until <= now;
}

/** Gives a chain a key that no chain holds, or whose window has passed. */
export function takeKey(store: Store, row: DeduplicationRow): void {
  setKey(store, row.key, row);
}

/** Frees a key, unless another chain has taken it since. */
export function freeKey(store: Store, row: DeduplicationRow): void {
  if (store.deduplications.get(row.key) === row) setKey(store, row.key, undefined);
}

function setKey(store: Store, key: string, row: DeduplicationRow | undefined): void {
  const before = replaceKey(store, key, row);
  store.journal?.push(() => {
    replaceKey(store, key, before);
  });
}

function replaceKey(
  { deduplications, windows }: Store,
  key: string,
  row: DeduplicationRow | undefined,
): DeduplicationRow | undefined {
  const before = deduplications.get(key);
  if (before?.until !== undefined) leaveHeap(windows);
  if (row === undefined) deduplications.delete(key);
  else deduplications.set(key, row);
  if (row?.until !== undefined) enterHeap(windows, row.until, row);
  return before;
}
