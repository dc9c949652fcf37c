import { heldKey } from "../model/held-key.ts";
import { enterHeap, leaveHeap } from "./lazy-heap.ts";
import type { DeduplicationRow } from "./row-types.ts";
import type { Store } from "./store.ts";

/** The row that holds a key now, by the text of `heldKey`. */
export function holderOf(store: Store, key: string, now: number): DeduplicationRow | undefined {
  const row = store.deduplications.get(key);
  return row === undefined || hasPassed(row, now) ? undefined : row;
}

export function hasPassed(row: DeduplicationRow, now: number): boolean {
  return row.heldUntil !== undefined && row.heldUntil <= now;
}

/** Gives a chain a key that no chain holds, or whose window has passed. */
export function takeKey(store: Store, row: DeduplicationRow): void {
  setKey(store, heldKey(row), row);
}

/** Frees a key, unless another chain has taken it since. */
export function freeKey(store: Store, row: DeduplicationRow): void {
  const key = heldKey(row);
  if (store.deduplications.get(key) === row) setKey(store, key, undefined);
}

function setKey(store: Store, key: string, row: DeduplicationRow | undefined): void {
  const before = replaceKey(store, key, row);
  store.changes?.others.push(["key", key]);
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
  if (before?.heldUntil !== undefined) leaveHeap(windows);
  if (row === undefined) deduplications.delete(key);
  else deduplications.set(key, row);
  if (row?.heldUntil !== undefined) enterHeap(windows, row.heldUntil, row);
  return before;
}
