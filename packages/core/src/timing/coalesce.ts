import type { Clock, Timer } from "../ports/clock.ts";

export interface CoalesceOptions<Item> {
  readonly clock: Clock;
  readonly maxItems: number;
  /** The weight of an item; the item that reaches `maxWeight` is the last one of its batch. Without it only `maxItems` counts. */
  readonly weigh?: ((item: Item) => number) | undefined;
  readonly maxWeight?: number | undefined;
}

/** How long calls wait for the batch under way, in milliseconds. */
const longestBatchMs = 1_000;

/**
 * Combines calls that are made at the same time into one batch. The first call goes out in the next microtask; calls that come
 * while a batch is under way wait for it, and then go together. No timer delays them: a single call goes out at once, and
 * under load the batches grow.
 *
 * A batch that takes long (it may wait for a lock, or its connection may be dead) delays its own callers only: after a second
 * the next batch goes out beside it.
 *
 * @param send performs a batch and returns one result for each item, in order, or a promise of it. If it rejects, every call of
 * the batch rejects.
 */
export function coalesce<Item, Result>(
  send: (items: readonly Item[]) => Promise<readonly (Result | Promise<Result>)[]>,
  options: CoalesceOptions<Item>,
): (item: Item) => Promise<Result> {
  const waiting: Waiting<Item, Result>[] = [];
  /** The loop that sends batches now. */
  let turn: { sending: boolean } | undefined;
  let overtaking: Timer | undefined;

  const begin = (): void => {
    const own = { sending: false };
    turn = own;
    queueMicrotask(() => void flush(own));
  };
  const flush = async (own: { sending: boolean }): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, batchSize(waiting, options));
      own.sending = true;
      if (waiting.length > 0) watch();
      await deliver(batch, send);
      // Another loop was started meanwhile, and sends the waiting calls.
      if (turn !== own) return;
      overtaking?.cancel();
      overtaking = undefined;
    }
    turn = undefined;
  };
  const watch = (): void => {
    overtaking ??= options.clock.setTimer(() => {
      overtaking = undefined;
      begin();
    }, longestBatchMs);
  };

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (turn === undefined) begin();
      else if (turn.sending) watch();
    });
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result | Promise<Result>) => void;
  readonly reject: (error: unknown) => void;
}

/** How many of the waiting items go into the next batch. */
function batchSize<Item>(
  waiting: readonly { readonly item: Item }[],
  { maxItems, weigh, maxWeight = Infinity }: CoalesceOptions<Item>,
): number {
  if (weigh === undefined) return maxItems;
  let weight = 0;
  let size = 0;
  for (const { item } of waiting) {
    size += 1;
    weight += weigh(item);
    if (size >= maxItems || weight >= maxWeight) break;
  }
  return size;
}

/** Never rejects: the errors go to the callers. */
async function deliver<Item, Result>(
  batch: readonly Waiting<Item, Result>[],
  send: (items: readonly Item[]) => Promise<readonly (Result | Promise<Result>)[]>,
): Promise<void> {
  try {
    const results = await send(batch.map((waiting) => waiting.item));
    if (results.length !== batch.length) throw new TypeError(`expected ${batch.length} results, got ${results.length}`);
    results.forEach((result, index) => batch[index]?.resolve(result));
  } catch (error) {
    for (const waiting of batch) waiting.reject(error);
  }
}
