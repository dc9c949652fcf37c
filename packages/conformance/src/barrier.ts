/**
 * How long a party waits for the others. A store may block another party behind this one (a row lock, a single writer). That
 * party arrives only after this one has continued, so waiting without a limit would be a deadlock.
 */
const limitMs = 40;

/** Makes a point where concurrent parties wait for each other and then continue together. */
export function createBarrier(parties: number): () => Promise<void> {
  const barrier = Promise.withResolvers<void>();
  let missing = parties;
  return async () => {
    missing -= 1;
    if (missing <= 0) barrier.resolve();
    const patience = setTimeout(barrier.resolve, limitMs);
    await barrier.promise;
    clearTimeout(patience);
  };
}

/** Whether the promise settles within the time that a concurrent party needs. */
export async function settlesSoon(promise: Promise<unknown>): Promise<boolean> {
  const { promise: over, resolve } = Promise.withResolvers<boolean>();
  const patience = setTimeout(() => resolve(false), limitMs);
  const seen = () => resolve(true);
  promise.then(seen, seen);
  try {
    return await over;
  } finally {
    clearTimeout(patience);
  }
}
