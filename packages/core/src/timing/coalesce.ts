import type { Clock, Timer } from "../ports/clock.ts";

export interface CoalesceOptions<Item> {
  readonly clock: Clock;
  readonly maxItems: number;
  /** What an item weighs; a batch is closed by the item that takes it to `maxWeight`. Without it only items count. */
  readonly weigh?: ((item: Item) => number) | undefined;
  readonly maxWeight?: number | undefined;
}

/** How long calls wait for a batch before they go without it, in milliseconds. */
const patienceMs = 1_000;

/**
 * Gathers calls made at the same time into one. The first call goes out in the next microtask; calls that come while one is
 * under way wait for it and then go together. Nothing waits on a timer: an idle caller is not delayed, a busy store sees
 * batches that grow by themselves.
 *
 * A batch that takes long (it may wait for a lock, or its connection be dead) concerns its own callers only: after a second
 * the next one goes out beside it.
 *
 * @param send performs a batch and answers one result an item, in order, or the promise of one. When it rejects, every caller of the batch is told.
 */
export function coalesce<Item, Result>(
  send: (items: readonly Item[]) => Promise<readonly (Result | Promise<Result>)[]>,
  options: CoalesceOptions<Item>,
): (item: Item) => Promise<Result> {
  const waiting: Waiting<Item, Result>[] = [];
  /** The one that sends batches, and that the others wait for. */
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
      // Overtaken: those that wait are another one's.
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
    }, patienceMs);
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

/** How many of those that wait go together. */
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

/** Never rejects: the callers are told. */
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
