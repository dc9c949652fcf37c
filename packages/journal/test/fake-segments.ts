import type { Change } from "chainwright/change-log";
import type { Segments } from "../src/segments.ts";

/** One segment in memory, whose syncs take as long as `sync` says. */
export function createFakeSegments(sync: () => Promise<void>) {
  const records: (readonly Change[])[] = [];
  /** How many records the disk has for certain. */
  let synced = 0;
  const segments: Segments = {
    number: () => 1,
    sequence: () => records.length,
    bytes: () => 0,
    countFrom: () => {},
    isFull: () => false,
    hasUnsynced: () => synced < records.length,
    write: (text) => void records.push(JSON.parse(text) as readonly Change[]),
    sync: async () => {
      const upTo = records.length;
      await sync();
      synced = Math.max(synced, upTo);
    },
    syncNow: () => {
      synced = records.length;
    },
    hasGrown: () => false,
    next: async () => 1,
    close: async () => {},
  };
  return { records, segments, synced: () => synced };
}
