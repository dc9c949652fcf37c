/**
 * Gathers calls made at the same time into one. The first call goes out in the next microtask; calls that come while one is
 * under way wait for it and then go together. Nothing waits on a timer: an idle caller is not delayed, a busy store sees
 * batches that grow by themselves.
 *
 * @param send performs a batch and answers one result an item, in order, or the promise of one. When it rejects, every caller of the batch is told.
 */
export function coalesce<Item, Result>(
  send: (items: readonly Item[]) => Promise<readonly (Result | Promise<Result>)[]>,
  options: { readonly maxItems: number },
): (item: Item) => Promise<Result> {
  let waiting: Waiting<Item, Result>[] = [];
  let sending = false;

  const flush = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting.length <= options.maxItems ? waiting : waiting.slice(0, options.maxItems);
      waiting = batch === waiting ? [] : waiting.slice(options.maxItems);
      await deliver(batch, send);
    }
    sending = false;
  };

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (sending) return;
      sending = true;
      queueMicrotask(() => void flush());
    });
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result | Promise<Result>) => void;
  readonly reject: (error: unknown) => void;
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
