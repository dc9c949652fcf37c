/** Decides which syncs are made in the thread of the event loop. */
export interface SyncPace {
  /** Whether the next one may be. */
  isFast(): boolean;
  /** What a sync took. */
  note(ms: number, isInThread: boolean): void;
}

/** Another thread does not make a sync shorter, and costs two changes of the thread: about as much as a sync below this time. */
const fastMs = 0.5;
/** A sync that holds the event loop for longer than this is the last one for a while. */
const longMs = 3;
const restSyncs = 100;
/** How much of the figure is the last sync. */
const weight = 1 / 8;

/**
 * A disk is fast while its last syncs were. After a long one in the thread of the event loop the next hundred are made elsewhere, so at most
 * one of a hundred syncs holds the event loop for longer than three milliseconds, whatever the disk does.
 */
export function createSyncPace(): SyncPace {
  let lastMs = 2 * fastMs;
  let rest = 0;
  return {
    isFast: () => rest === 0 && lastMs < fastMs,
    note: (ms, isInThread) => {
      // A single one that is very long says little about the next.
      lastMs += weight * (Math.min(ms, longMs) - lastMs);
      if (isInThread && ms > longMs) rest = restSyncs;
      else if (rest > 0) rest -= 1;
    },
  };
}
