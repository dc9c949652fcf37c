/** Items by a number, smallest first: a binary heap in two arrays, so that an entry needs no object. */
export interface Heap<T> {
  readonly keys: number[];
  readonly items: T[];
}

export function createHeap<T>(): Heap<T> {
  return { keys: [], items: [] };
}

export function pushHeap<T>(heap: Heap<T>, key: number, item: T): void {
  heap.keys.push(key);
  heap.items.push(item);
  siftUp(heap, heap.keys.length - 1);
}

export function popHeap<T>(heap: Heap<T>): T | undefined {
  const top = heap.items[0];
  const key = heap.keys.pop();
  const item = heap.items.pop();
  if (key !== undefined && item !== undefined && heap.items.length > 0) {
    heap.keys[0] = key;
    heap.items[0] = item;
    siftDown(heap, 0);
  }
  return top;
}

/** Drops every other entry. */
export function keepInHeap<T>(heap: Heap<T>, keep: (item: T, key: number) => boolean): void {
  const { keys, items } = heap;
  let kept = 0;
  for (let at = 0; at < items.length; at += 1) {
    const key = keys[at];
    const item = items[at];
    if (key === undefined || item === undefined || !keep(item, key)) continue;
    keys[kept] = key;
    items[kept] = item;
    kept += 1;
  }
  keys.length = kept;
  items.length = kept;
  for (let at = (kept >> 1) - 1; at >= 0; at -= 1) siftDown(heap, at);
}

function siftUp<T>(heap: Heap<T>, from: number): void {
  const { keys, items } = heap;
  const key = keys[from];
  const item = items[from];
  if (key === undefined || item === undefined) return;
  let at = from;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    const parentKey = keys[parent];
    const parentItem = items[parent];
    if (parentKey === undefined || parentItem === undefined || parentKey <= key) break;
    keys[at] = parentKey;
    items[at] = parentItem;
    at = parent;
  }
  keys[at] = key;
  items[at] = item;
}

function siftDown<T>(heap: Heap<T>, from: number): void {
  const { keys, items } = heap;
  const key = keys[from];
  const item = items[from];
  if (key === undefined || item === undefined) return;
  let at = from;
  for (;;) {
    const left = 2 * at + 1;
    const child = (keys[left + 1] ?? Infinity) < (keys[left] ?? Infinity) ? left + 1 : left;
    const childKey = keys[child];
    const childItem = items[child];
    if (childKey === undefined || childItem === undefined || childKey >= key) break;
    keys[at] = childKey;
    items[at] = childItem;
    at = child;
  }
  keys[at] = key;
  items[at] = item;
}
