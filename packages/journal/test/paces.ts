import type { SyncPace } from "../src/sync-pace.ts";

/** A disk that is always fast, or never. */
const paceOf = (isFast: boolean): SyncPace => ({ isFast: () => isFast, note: () => {} });

/** All syncs in other threads. */
export const elsewhere = paceOf(false);
/** All syncs in the thread of the event loop that may be there. */
export const inThread = paceOf(true);

/** The ways in which a call gets its data to the disk, by name. */
export const paces = [
  ["in other threads", elsewhere],
  ["in the thread of the event loop", inThread],
] as const;
