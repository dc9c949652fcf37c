/**
 * How long a party waits for one that does not come. A store may hold a party back behind this very one (a row lock, a
 * single writer); that one arrives only after this one has gone on, so waiting for it without end would be a deadlock.
 */
const patienceMs = 40;

/** A point where concurrent parties wait for each other and then go on together. */
export function createMeeting(parties: number): () => Promise<void> {
  const meeting = Promise.withResolvers<void>();
  let missing = parties;
  return async () => {
    missing -= 1;
    if (missing <= 0) meeting.resolve();
    const patience = setTimeout(meeting.resolve, patienceMs);
    await meeting.promise;
    clearTimeout(patience);
  };
}

/** Whether the promise has settled by the time a concurrent party has had its chance. */
export async function settlesSoon(promise: Promise<unknown>): Promise<boolean> {
  const { promise: over, resolve } = Promise.withResolvers<boolean>();
  const patience = setTimeout(() => resolve(false), patienceMs);
  const seen = () => resolve(true);
  promise.then(seen, seen);
  try {
    return await over;
  } finally {
    clearTimeout(patience);
  }
}
